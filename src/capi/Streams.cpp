// SPDX-License-Identifier: Apache-2.0
/// Frames of daphne.h as Arrow streams.
#include "capi/Handles.h"
#include "io/arrow/FrameStream.h"

using namespace daphne;
using namespace daphne::capi;

extern "C" {

int daphne_value_stream(ArrowArrayStream *stream, daphne_value **value, daphne_error **error) {
    return guarded(error, [&] {
        need(stream && stream->release, "daphne_value_stream: there is no stream");
        Value frame = io::frameOfStream(*stream);
        need(value, "daphne_value_stream: nowhere to put the value");
        *value = newValue(std::move(frame));
    });
}

int daphne_get_stream(const daphne_value *value, ArrowArrayStream *stream, daphne_error **error) {
    return guarded(error, [&] {
        need(value && stream, "daphne_get_stream: value or stream is missing");
        need(value->value.isFrame(), "daphne_get_stream: the value is no frame");
        io::streamOfFrame(Ref<Frame>::share(&value->value.frame()), *stream);
    });
}

} // extern "C"
