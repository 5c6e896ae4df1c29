# SPDX-License-Identifier: Apache-2.0
"""Parquet, Arrow and Feather files: what pyarrow writes is read equal, and the other way round. The pyarrow is the one that
the set-up brought into build/arrow, or one that is installed."""

import math
import subprocess

CODECS = ('none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4')


def modules(package):
    return package('pyarrow'), package('pyarrow.parquet'), package('pyarrow.ipc'), package('pyarrow.feather')


def write_every_way(table, path, pa, parquet, ipc, feather):
    """The table as files of every kind; their names."""
    parquet.write_table(table, path('t.parquet'), row_group_size=2)
    with ipc.new_file(str(path('t.arrow')), table.schema) as f:
        f.write_table(table, 2)
    with ipc.new_stream(str(path('stream.arrow')), table.schema) as f:
        f.write_table(table, 2)
    feather.write_feather(table, str(path('t.feather')), compression='zstd', chunksize=2)
    return 't.parquet', 't.arrow', 'stream.arrow', 't.feather'


def run(daphne, code, status=0):
    done = subprocess.run([daphne.binary, '-e', code], cwd=daphne.directory, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f'{code}: status {done.returncode}\n{done.stdout}{done.stderr}'
    assert status in (0, 3) or not done.stdout, f'{code}: a mistake that the compiler finds, but it ran: {done.stdout}'
    return done.stdout if status == 0 else done.stderr


def error(daphne, code, *parts, status=3):
    """One error, with all the parts."""
    text = run(daphne, code, status)
    assert text.count('error') == 1 and all(part in text for part in parts), f'{code}: {text}'


def arrow_types_are_those_of_frames(daphne, package):
    pa, parquet, ipc, feather = modules(package)
    numbers = {'i8': pa.int8(), 'i16': pa.int16(), 'i32': pa.int32(), 'i64': pa.int64(), 'u8': pa.uint8(), 'u16': pa.uint16(),
               'u32': pa.uint32(), 'u64': pa.uint64(), 'f32': pa.float32(), 'f64': pa.float64()}
    ours = 'int8_t int32_t int32_t int64_t uint8_t uint32_t uint32_t uint64_t float double'.split()
    columns = {name: pa.array([1, 2, 100], type) for name, type in numbers.items()}
    columns['b'] = pa.array([True, False, True])
    texts = ['ä', 'a string of more than twelve bytes', '']
    columns |= {'s': pa.array(texts), 'large': pa.array(texts, pa.large_string()),
                'coded': pa.array(texts).dictionary_encode(), 'codednumber': pa.array([7, 8, 7]).dictionary_encode()}
    types = ours + ['bool', 'std::string', 'std::string', 'std::string', 'int64_t']
    expected = 'Frame(3x15, [' + ', '.join(f'{n}:{t}' for n, t in zip(columns, types)) + '])\n'
    for k in range(3):
        expected += ' '.join([str((1, 2, 100)[k])] * 10 + ['101'[k]] + [texts[k]] * 3 + ['787'[k]]) + '\n'
    for name in write_every_way(pa.table(columns), daphne.path, pa, parquet, ipc, feather):
        assert run(daphne, f'print(readFrame("{name}"));') == expected, f'{name}: {run(daphne, f"print(readFrame({name!r}));")}'
    # Views are new in Arrow; Parquet has none.
    views = pa.table({'v': pa.array(texts, pa.string_view())})
    with ipc.new_file(str(daphne.path('v.arrow')), views.schema) as f:
        f.write_table(views, 2)
    assert run(daphne, 'print(readFrame("v.arrow"));') == 'Frame(3x1, [v:std::string])\n' + '\n'.join(texts) + '\n'


def parquet_codecs_and_encodings_are_read(daphne, package):
    pa, parquet, _, _ = modules(package)
    n = 5000
    table = pa.table({'x': [i * 0.5 for i in range(n)], 's': [f'text {i % 7}' for i in range(n)]})
    wanted = f'{sum(i * 0.5 for i in range(n)):.0f} text 6\n'
    code = 'F = readFrame("c.parquet"); print(as.si64(sum(as.matrix(F[, "x"]))) + " " + as.scalar(F[6, "s"]));'
    for codec in CODECS:
        parquet.write_table(table, daphne.path('c.parquet'), compression=codec, row_group_size=1000)
        assert run(daphne, code) == wanted, codec
    for options in ({'use_dictionary': False}, {'data_page_version': '2.0'}, {'use_byte_stream_split': ['x'], 'use_dictionary': ['s']},
                    {'version': '1.0'}, {'write_statistics': False}, {'write_page_index': True}, {'store_schema': False}):
        parquet.write_table(table, daphne.path('c.parquet'), **options)
        assert run(daphne, code) == wanted, options


def arrow_nulls_follow_the_metadata(daphne, package):
    pa, parquet, ipc, feather = modules(package)
    table = pa.table({'n': pa.array([1, None, 3]), 'x': pa.array([0.5, 1.5, None]), 's': pa.array(['a', None, 'c']),
                      'b': pa.array([None, True, False]), 'd': pa.array(['u', None, 'u']).dictionary_encode(),
                      'none': pa.nulls(3), 'every': pa.array([4, 5, 6])})
    forgotten = ('Frame(3x7, [n:double, x:double, s:std::string, b:double, d:std::string, none:double, every:int64_t])\n'
                 '1 0.5 a nan u nan 4\nnan 1.5  1  nan 5\n3 nan c 0 u nan 6\n')
    query = ('F = readFrame("{}"); registerView("t", F); '
             'print(sql("SELECT SUM(n) AS a, COUNT(n) AS b, COUNT(every) AS c FROM t WHERE s IS NOT NULL"));')
    schema = ', '.join(f'{{"label": "{c}", "valueType": "{t}", "nullable": true}}' for c, t in
                       zip(table.column_names, ('si64', 'f64', 'str', 'bool', 'str', 'f64', 'si64')))
    for name in write_every_way(table, daphne.path, pa, parquet, ipc, feather):
        meta = daphne.path(name + '.meta')
        assert run(daphne, f'print(readFrame("{name}"));') == forgotten, f'{name}: ' + run(daphne, f'print(readFrame("{name}"));')
        meta.write_text(f'{{"numRows": 3, "numCols": 7, "schema": [{schema}]}}')
        kept = run(daphne, query.format(name))
        assert kept.splitlines()[1] == '4 2 2', f'{name}: {kept}'
        meta.unlink()
    # Without statistics nobody knows before reading whether a column of integers stays one.
    parquet.write_table(table, daphne.path('t.parquet'), write_statistics=False)
    assert run(daphne, 'print(readFrame("t.parquet"));') == forgotten


def columns_that_are_not_named_are_not_read(daphne, package):
    """What lies between the parts of the other column is destroyed: whoever reads it fails."""
    pa, parquet, ipc, feather = modules(package)
    n = 20000
    table = pa.table({'a': pa.array(range(n)), 'bad': pa.array([f'text {i}' for i in range(n)]), 'c': pa.array([0.5] * n)})
    parquet.write_table(table, daphne.path('p.parquet'), compression='zstd')
    chunk = parquet.read_metadata(daphne.path('p.parquet')).row_group(0).column(1)
    damage(daphne.path('p.parquet'), chunk.dictionary_page_offset or chunk.data_page_offset, chunk.total_compressed_size)
    feather.write_feather(table, str(daphne.path('p.feather')), compression='zstd', chunksize=n)
    content = daphne.path('p.feather').read_bytes()
    frames = [i for i in range(len(content)) if content[i:i + 4] == b'\x28\xb5\x2f\xfd']  # behind 8 bytes of length
    damage(daphne.path('p.feather'), frames[1], frames[-1] - 8 - frames[1])
    for name in ('p.parquet', 'p.feather'):
        error(daphne, f'F = readFrame("{name}"); print(F[0, ]);', name)
        error(daphne, f'F = readFrame("{name}"); print(F[0, "bad"]);', name)
        assert run(daphne, f'F = readFrame("{name}"); print(sum(as.matrix(F[, "c"])));') == '10000\n', name
        sums = run(daphne, f'F = readFrame("{name}"); registerView("t", F); print(sql("SELECT SUM(a) AS s FROM t WHERE c > 0.0"));')
        assert sums.splitlines()[1] == str(n * (n - 1) // 2), f'{name}: {sums}'
        assert run(daphne, f'F = readFrame("{name}"); print(nrow(F));') == f'{n}\n', name


def damage(path, offset, size):
    content = bytearray(path.read_bytes())
    content[offset:offset + size] = b'\xff' * size
    path.write_bytes(content)


def types_that_frames_do_not_have_are_refused_by_name(daphne, package):
    pa, parquet, ipc, feather = modules(package)
    import decimal
    odd = {'list': pa.array([[1], [2, 3], None]), 'struct': pa.array([{'a': 1}, {'a': 2}, None]),
           'map': pa.array([[('k', 1)], [], None], pa.map_(pa.string(), pa.int64())),
           'decimal': pa.array([decimal.Decimal('1.5')] * 3), 'fixed-size binary': pa.array([b'ab'] * 3, pa.binary(2)),
           'half float': pa.array([1.0] * 3, pa.float32()).cast(pa.float16())}
    for word, column in odd.items():
        table = pa.table({'good': [1, 2, 3], 'the odd one': column})
        for name in write_every_way(table, daphne.path, pa, parquet, ipc, feather):
            error(daphne, f'print(readFrame("{name}"));', f'"{name}"', '"the odd one"', f'of type {word}')
            error(daphne, f'print(readMatrix("{name}"));', f'"{name}"', '"the odd one"', f'of type {word}')
            if name != 'stream.arrow':  # the columns of a stream are not known before it is read
                assert run(daphne, f'F = readFrame("{name}"); print(sum(as.matrix(F[, "good"])));') == '6\n', (name, word)
    # Only in Arrow's own files.
    for word, column in {'union': pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(list('abc'))]),
                         'run-end': pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2]),
                         'interval': pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval())}.items():
        table = pa.table({'good': [1, 2, 3], 'the odd one': column})
        with ipc.new_file(str(daphne.path('u.arrow')), table.schema) as f:
            f.write_table(table)
        error(daphne, 'print(readFrame("u.arrow"));', '"the odd one"', f'of type {word}')


def descriptions_of_files_are_known_before_they_are_read(daphne, package):
    """A mistake in a label is found when the script is compiled, and shapes and types of matrices are known."""
    pa, parquet, ipc, feather = modules(package)
    table = pa.table({'a': [1, 2, 3], 'b': pa.array([0.5, None, 2.5])})
    for name in write_every_way(table, daphne.path, pa, parquet, ipc, feather):
        if name == 'stream.arrow':
            continue
        error(daphne, f'print("ran"); F = readFrame("{name}"); print(F[, "nope"]);', '"nope"', status=2)
    # A file that is written by the script itself is not looked at before; one that has changed meanwhile is noticed.
    code = 'write(fill(1.5, 2, 2), "t.parquet"); X = readMatrix("t.parquet"); print(X);'
    assert run(daphne, code) == 'DenseMatrix(2x2, double)\n1.5 1.5\n1.5 1.5\n'
    mixed = pa.table({'a': pa.array([1, 2], pa.int32()), 'b': [0.25, 0.5]})
    parquet.write_table(mixed, daphne.path('m.parquet'))
    assert run(daphne, 'print(readMatrix("m.parquet"));') == 'DenseMatrix(2x2, double)\n1 0.25\n2 0.5\n'


def what_daphne_writes_is_read_by_pyarrow(daphne, package):
    pa, parquet, ipc, feather = modules(package)
    code = ('F = createFrame([1, -2, 3], [0.5, nan, inf], ["a", "", "ä€"], as.matrix<bool>([1, 0, 1]), "n", "x", "s", "b"); '
            'for (e in cells(["parquet", "arrow", "feather"])) write(F, "w." + e);')
    run(daphne, code)
    for name, read in (('w.parquet', parquet.read_table), ('w.arrow', lambda p: ipc.open_file(str(p)).read_all()),
                       ('w.feather', lambda p: feather.read_table(str(p)))):
        table = read(daphne.path(name))
        rows = table.to_pydict()
        assert [str(t) for t in table.schema.types] == ['int64', 'double', 'large_string', 'bool'], table.schema
        assert rows['n'] == [1, -2, 3] and rows['s'] == ['a', '', 'ä€'] and rows['b'] == [True, False, True], rows
        assert rows['x'][0] == 0.5 and math.isnan(rows['x'][1]) and math.isinf(rows['x'][2]), rows
    # Statistics, so that others can leave out row groups.
    column = parquet.read_metadata(daphne.path('w.parquet')).row_group(0).column(0)
    assert (column.statistics.min, column.statistics.max, column.statistics.null_count) == (-2, 3, 0), column
    assert column.compression == 'SNAPPY', column
    run(daphne, 'write(fill(1.5, 1048577, 1), "rows.parquet");')
    metadata = parquet.read_metadata(daphne.path('rows.parquet'))
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [1048576, 1], metadata


CASES = [arrow_types_are_those_of_frames, parquet_codecs_and_encodings_are_read, arrow_nulls_follow_the_metadata,
         columns_that_are_not_named_are_not_read, types_that_frames_do_not_have_are_refused_by_name,
         descriptions_of_files_are_known_before_they_are_read, what_daphne_writes_is_read_by_pyarrow]
