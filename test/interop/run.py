#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of other programs: what NumPy, SciPy, pandas, h5py, netCDF4 and pyarrow write is read equal, and the other way round.
And what happens around files: writers that are killed, full disks, files that shrink while they are read, missing
permissions. A case whose Python package is missing is skipped with a message."""

import argparse
import contextlib
import functools
import gzip
import importlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import arrow_files

ROOT = Path(__file__).resolve().parents[2]
# The pyarrow that cmake/install-arrow.sh brings; one that is installed goes before it.
sys.path.append(str(ROOT / 'build' / 'arrow'))


class Missing(Exception):
    """A Python package is not installed."""


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Missing(name) from None


class Daphne:
    def __init__(self, binary, directory):
        self.binary, self.directory = binary, Path(directory)

    def path(self, name):
        return self.directory / name

    def convert(self, source, target, *options):
        run = subprocess.run([self.binary, 'convert', *options, source, target], cwd=self.directory, capture_output=True,
                             text=True, timeout=120)
        if 'built without' in run.stderr:
            raise Missing('pyarrow, when daphne was built,')
        assert run.returncode == 0, f'convert {source} {target}: {run.stderr}'


def arrays(np):
    rng = np.random.default_rng(3)
    for kind in 'b1 i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 >i4 >f8'.split():
        x = (rng.random((4, 3)) * 100 - (0 if kind[0] in 'ub' else 50)).astype(kind)
        if 'f' in kind:
            x[0] = [np.nan, np.inf, -np.inf]
        yield kind.replace('>', 'big-'), x
    yield 'fortran', np.asfortranarray(rng.random((5, 2)))
    yield 'vector', rng.random(6)
    yield 'no rows', np.zeros((0, 3))
    yield 'strings', np.array([['a', 'äö€😀'], ['', 'x,"y"']])


def numpy_arrays_come_back(daphne):
    np = package('numpy')
    for name, x in arrays(np):
        np.save(daphne.path('in.npy'), x)
        for step in ('npy', 'npz'):
            daphne.convert('in.npy', f'out.{step}', '--matrix')
            back = np.load(daphne.path(f'out.{step}'))
            back = back['arr_0'] if step == 'npz' else back
            wanted = x.reshape(-1, 1) if x.ndim == 1 else x
            same = np.array_equal(back, wanted, equal_nan=wanted.dtype.kind == 'f')
            assert same, f'{name} by way of {step}: {back} instead of {wanted}'


def numpy_archives_are_read(daphne):
    np = package('numpy')
    x, y = np.arange(6.0).reshape(2, 3), np.arange(4)
    np.savez_compressed(daphne.path('in.npz'), x=x, y=y)
    daphne.convert('in.npz:x', 'out.npy')
    assert np.array_equal(np.load(daphne.path('out.npy')), x)


def numpy_structured_arrays_are_frames(daphne):
    np = package('numpy')
    x = np.array([(1, 2.5, 'a'), (-3, np.inf, 'bcd')], dtype=[('n', '<i4'), ('x', '<f8'), ('s', '<U5')])
    np.save(daphne.path('in.npy'), x)
    daphne.convert('in.npy', 'out.npy')
    back = np.load(daphne.path('out.npy'))
    assert back.dtype.names == x.dtype.names and back.tolist() == x.tolist(), back


def scipy_matrices_come_back(daphne):
    np, sparse, io = package('numpy'), package('scipy.sparse'), package('scipy.io')
    x = sparse.random(40, 30, 0.1, format='csr', random_state=1)
    square = sparse.random(30, 30, 0.1, format='csr', random_state=2)
    for name, m, symmetry in (('general', x, 'general'), ('symmetric', square + square.T, 'symmetric'),
                              ('skew', square - square.T, 'skew-symmetric'), ('array', x.toarray(), 'general')):
        io.mmwrite(str(daphne.path('in.mtx')), m, symmetry=symmetry, precision=17)
        daphne.convert('in.mtx', 'out.mtx')
        back = io.mmread(str(daphne.path('out.mtx')))
        dense = back.toarray() if sparse.issparse(back) else back
        wanted = m.toarray() if sparse.issparse(m) else m
        assert np.array_equal(dense, wanted), name
    with open(daphne.path('in.mtx'), 'rb') as plain, gzip.open(daphne.path('in2.mtx.gz'), 'wb') as packed:
        packed.write(plain.read())
    daphne.convert('in2.mtx.gz', 'out.npy')
    assert np.array_equal(np.load(daphne.path('out.npy')), x.toarray())
    sparse.save_npz(daphne.path('in.npz'), x)
    daphne.convert('in.npz', 'out.mtx')
    back = io.mmread(str(daphne.path('out.mtx')))
    assert np.array_equal(back.toarray() if sparse.issparse(back) else back, x.toarray())


def pandas_tables_come_back(daphne):
    pd = package('pandas')
    table = pd.DataFrame({'n': [1, -2, 3], 'x': [0.1, 1e300, -1 / 3], 's': ['a', 'b,"c"', 'two\nlines']})
    table.to_csv(daphne.path('in.csv'), index=False, sep=';')
    daphne.convert('in.csv', 'mid.dbdf', '--header', '--delimiter=;')
    daphne.convert('mid.dbdf', 'out.jsonl')
    back = pd.read_json(daphne.path('out.jsonl'), lines=True, precise_float=True)
    pd.testing.assert_frame_equal(back, table, check_exact=True)
    daphne.convert('mid.dbdf', 'out.csv')
    back = pd.read_csv(daphne.path('out.csv'), header=None, names=['n', 'x', 's'], float_precision='round_trip')
    pd.testing.assert_frame_equal(back, table, check_exact=True)
    table.to_json(daphne.path('in.jsonl'), orient='records', lines=True, double_precision=15)
    daphne.convert('in.jsonl', 'out.npy')


def netcdf_variables_come_back(daphne):
    np, netcdf = package('numpy'), package('netCDF4')
    x = np.arange(12.0).reshape(4, 3) / 7
    for kind in ('NETCDF4', 'NETCDF3_CLASSIC'):
        with netcdf.Dataset(daphne.path('in.nc'), 'w', format=kind) as f:
            f.createDimension('a', 4)
            f.createDimension('b', 3)
            f.createVariable('x', 'f8', ('a', 'b'))[:] = x
            f.createVariable('n', 'i4', ('a',))[:] = [1, 2, 3, 4]
        daphne.convert('in.nc:x', 'out.nc')
        with netcdf.Dataset(daphne.path('out.nc')) as f:
            assert np.array_equal(f['data'][:], x)
        daphne.convert('in.nc:n', 'out.npy')
        assert np.load(daphne.path('out.npy')).ravel().tolist() == [1, 2, 3, 4]


def hdf5_data_sets_come_back(daphne):
    np, h5py = package('numpy'), package('h5py')
    x = np.arange(12.0).reshape(4, 3) / 7
    with h5py.File(daphne.path('in.h5'), 'w') as f:
        f['a/x'] = x
        f.create_dataset('a/packed', data=x, compression='gzip')
        f['s'] = np.array([b'ab', b'c'])
        f['bits'] = np.array([[True, False]])
    for name in ('/a/x', '/a/packed'):
        daphne.convert(f'in.h5:{name}', 'out.h5:/b/y')
        with h5py.File(daphne.path('out.h5')) as f:
            assert np.array_equal(f['b/y'][:], x), name
    daphne.convert('in.h5:/bits', 'out.npy')
    assert np.load(daphne.path('out.npy')).tolist() == [[True, False]]
    daphne.convert('in.h5:/s', 'out.npy')
    assert np.load(daphne.path('out.npy')).ravel().tolist() == ['ab', 'c']
    daphne.convert('in.h5:/bits', 'out.h5:/bits')
    with h5py.File(daphne.path('out.h5')) as f:
        assert 'b/y' in f and 'bits' in f, 'other data sets of the file stay'


def arrow_tables_come_back(daphne):
    np, pd, pa = package('numpy'), package('pandas'), package('pyarrow')
    parquet, ipc = package('pyarrow.parquet'), package('pyarrow.ipc')
    table = pd.DataFrame({'n': np.arange(5, dtype='i4'), 'x': [0.1, np.nan, np.inf, -1 / 3, 1e300], 's': list('abcde'),
                          'b': [True, False, True, True, False], 'k': np.array([1, 2, 3, 4, 65535], dtype='u2')})
    whole = pa.Table.from_pandas(table)
    # Several batches, missing values, dictionaries.
    other = pa.table({'n': pa.chunked_array([[1, None], [3]]), 's': pa.chunked_array([['a', None], ['c']]).dictionary_encode()})
    parquet.write_table(whole, daphne.path('in.parquet'), row_group_size=2)
    with ipc.new_file(str(daphne.path('in.arrow')), whole.schema) as f:
        f.write_table(whole, 2)
    table.to_feather(daphne.path('in.feather'))
    for source in ('in.parquet', 'in.arrow', 'in.feather'):
        for target in ('out.parquet', 'out.arrow', 'out.feather'):
            daphne.convert(source, target)
            path = daphne.path(target)
            back = pd.read_parquet(path) if target.endswith('parquet') else ipc.open_file(str(path)).read_all().to_pandas()
            pd.testing.assert_frame_equal(back, table, check_dtype=False, check_exact=True)
    parquet.write_table(other, daphne.path('other.parquet'))
    daphne.convert('other.parquet', 'other.jsonl')
    assert daphne.path('other.jsonl').read_text().splitlines()[1] == '{"n":NaN,"s":""}'
    x = np.arange(300000.0).reshape(100000, 3)
    np.save(daphne.path('m.npy'), x)
    daphne.convert('m.npy', 'm.parquet')
    daphne.convert('m.parquet', 'm2.npy', '--matrix')
    assert np.array_equal(np.load(daphne.path('m2.npy')), x)


def damaged_files_of_libraries_are_errors(daphne, times=40):
    """Whatever a library does with them: a value or an error of the execution. HDF5 1.10 has loops without an end on some
    damaged files, which nobody can turn into an error; they are ended from here."""
    daphne.path('in.csv').write_text('1,2.5\n3,4.5\n' * 20)
    rng = random.Random(9)
    for name in ('x.h5', 'x.nc', 'x.parquet', 'x.arrow'):
        try:
            daphne.convert('in.csv', name)
        except Missing:
            continue
        good = daphne.path(name).read_bytes()
        daphne.path(name + '.meta').unlink()
        for i in range(times):
            bad = bytearray(good if i % 4 else good[:rng.randrange(len(good))])
            for _ in range(1 + rng.randrange(8)):
                if bad:
                    bad[rng.randrange(len(bad))] = rng.choice((0, 1, 127, 255, rng.randrange(256)))
            daphne.path(name).write_bytes(bad)
            try:
                run = subprocess.run([daphne.binary, 'inspect', name], cwd=daphne.directory, capture_output=True, timeout=5)
            except subprocess.TimeoutExpired:
                continue
            assert run.returncode in (0, 3), f'{name}, damage {i}: status {run.returncode}, {run.stderr}'
            assert run.returncode == 0 or name.encode() in run.stderr, f'{name}, damage {i}: {run.stderr}'


def files_that_shrink_are_errors(daphne, times=6):
    """The file is cut while it is read: what was read is right, or there is one error."""
    rows = 300000
    script = daphne.path('r.daph')
    script.write_text('print(sum(readMatrix("x.csv")));')
    text = b'1,2,3,4,5\n' * rows
    rng = random.Random(7)
    for _ in range(times):
        daphne.path('x.csv').write_bytes(text)
        process = subprocess.Popen([daphne.binary, str(script)], cwd=daphne.directory, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(0.01 + rng.random() * 0.05)
        os.truncate(daphne.path('x.csv'), rng.randrange(rows) * 10)
        out, err = process.communicate(timeout=120)
        fine = process.returncode == 0 and 15 * rows >= float(out)
        assert fine or (process.returncode == 3 and err.count('error') == 1), (process.returncode, out, err)


@contextlib.contextmanager
def small_disk(daphne, size):
    disk = daphne.path('disk')
    disk.mkdir(exist_ok=True)
    if os.geteuid() != 0 or subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={size}', 'none', disk],
                                           capture_output=True).returncode != 0:
        raise Missing('right to mount a small disk')
    try:
        yield disk
    finally:
        subprocess.run(['umount', disk], check=True)


def a_disk_with_room_for_two_is_enough_to_replace_a_file_again_and_again(daphne):
    """The space of the one before is given back while the next one is written."""
    script = daphne.path('w.daph')
    script.write_text('for (i in 1:12) write(fill(as.f64(i), 2000000, 1), "disk/x.npy"); print(sum(readMatrix("disk/x.npy")));')
    with small_disk(daphne, '36m') as disk:
        run = subprocess.run([daphne.binary, str(script)], cwd=daphne.directory, capture_output=True, text=True, timeout=120)
        assert run.stdout == '2.4e+07\n', (run.returncode, run.stdout, run.stderr)
        assert {p.name for p in disk.iterdir()} == {'x.npy', 'x.npy.meta'}, list(disk.iterdir())


def full_disks_leave_the_old_file(daphne):
    with small_disk(daphne, '256k') as disk:
        script = daphne.path('w.daph')
        script.write_text('write(fill(1.0, as.si64($n), 1), "disk/x." + $ext);')
        for ext in ('csv', 'npy', 'dbdf', 'mtx', 'npz', 'h5', 'nc'):
            run = [daphne.binary, str(script), f'ext="{ext}"']
            subprocess.run([*run, 'n=10'], cwd=daphne.directory, check=True, timeout=120)
            before = {p.name: p.read_bytes() for p in disk.iterdir()}
            big = subprocess.run([*run, 'n=400000'], cwd=daphne.directory, capture_output=True, text=True, timeout=120)
            assert big.returncode == 3 and f'x.{ext}' in big.stderr, f'{ext}: {big.returncode} {big.stderr}'
            after = {p.name: p.read_bytes() for p in disk.iterdir()}
            assert before == after, f'{ext}: {sorted(after)}'
            for p in disk.iterdir():
                p.unlink()


def files_without_permission_are_errors(daphne):
    """As another user where this is the superuser, who may do everything."""
    prefix = ['setpriv', '--bounding-set=-all', '--reuid=65534', '--clear-groups'] if os.geteuid() == 0 else []
    os.chmod(daphne.directory, 0o755)
    daphne.path('x.csv').write_text('1\n')
    daphne.path('x.csv').chmod(0)
    for code in ('print(readMatrix("x.csv"));', 'write(fill(1.0, 1, 1), "y.csv");'):
        run = subprocess.run([*prefix, daphne.binary, '-e', code], cwd=daphne.directory, capture_output=True, text=True,
                             timeout=60)
        if prefix or 'write' not in code:
            assert run.returncode == 3 and 'Permission denied' in run.stderr, (code, run.stderr)


def killed_writers_leave_a_complete_file(daphne, times=20):
    """Old and new content differ in their first cell only; both files are large enough to be met while being written."""
    script = daphne.path('w.daph')
    script.write_text('X = fill($v, 200000, 5); write(X, "k.csv");')
    run = [daphne.binary, str(script)]
    subprocess.run([*run, 'v=1.0'], cwd=daphne.directory, check=True, timeout=120)
    size = daphne.path('k.csv').stat().st_size
    begin = time.monotonic()
    subprocess.run([*run, 'v=1.0'], cwd=daphne.directory, check=True, timeout=120)
    seconds = time.monotonic() - begin
    rng = random.Random(5)
    for i in range(times):
        value = '2.0' if i % 2 else '3.0'
        process = subprocess.Popen([*run, f'v={value}'], cwd=daphne.directory)
        time.sleep(rng.random() * seconds)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        content = daphne.path('k.csv').read_bytes()
        rows = set(content.splitlines())
        assert len(content) == size and len(rows) == 1, f'attempt {i}: {len(content)} bytes, {len(rows)} kinds of rows'


def of_arrow(case):
    """The case, skipped where this daphne cannot read such files."""
    @functools.wraps(case)
    def run(daphne):
        package('pyarrow')
        daphne.path('probe.csv').write_text('1\n')
        daphne.convert('probe.csv', 'probe.parquet')
        case(daphne, package)
    return run


CASES = [numpy_arrays_come_back, numpy_archives_are_read, numpy_structured_arrays_are_frames, scipy_matrices_come_back,
         pandas_tables_come_back, netcdf_variables_come_back,
         hdf5_data_sets_come_back, arrow_tables_come_back, *map(of_arrow, arrow_files.CASES), damaged_files_of_libraries_are_errors,
         files_that_shrink_are_errors, full_disks_leave_the_old_file,
         a_disk_with_room_for_two_is_enough_to_replace_a_file_again_and_again,
         files_without_permission_are_errors, killed_writers_leave_a_complete_file]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--daphne', default=ROOT / 'bin' / 'daphne')
    parser.add_argument('--filter', default='')
    options = parser.parse_args()
    passed = failed = 0
    for case in CASES:
        if options.filter not in case.__name__:
            continue
        with tempfile.TemporaryDirectory(prefix='dinterop') as directory:
            try:
                case(Daphne(os.path.abspath(options.daphne), directory))
                passed += 1
            except Missing as name:
                print(f'{case.__name__}: skipped, no {name}')
            except Exception as problem:  # whatever it is, the other cases still run
                print(f'{case.__name__}: {problem}')
                failed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
