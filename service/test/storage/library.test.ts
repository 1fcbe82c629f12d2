import { EngineMissing, engineLibrary, type Machine } from '../../src/storage/embedded/library.ts'

const machine = (changes: Partial<Machine>): Machine => ({
  platform: 'linux',
  arch: 'x64',
  glibc: true,
  resolve: (file) => `/modules/${file}`,
  ...changes,
})

test.each([
  [{}, '/modules/@chdb/lib-linux-x64-gnu/libchdb.so'],
  [{ arch: 'arm64' }, '/modules/@chdb/lib-linux-arm64-gnu/libchdb.so'],
  [{ platform: 'darwin', arch: 'arm64', glibc: false }, '/modules/@chdb/lib-darwin-arm64/libchdb.so'],
])('resolves for %j the engine library %s', (changes, path) => {
  expect(engineLibrary(machine(changes))).toBe(path)
})

test.each([
  ['Windows', { platform: 'win32' }, /Windows: start the service inside WSL, or set CLICKHOUSE_URL/],
  ['musl', { glibc: false }, /needs glibc, .* use a Debian-based image, or set CLICKHOUSE_URL/],
  ['another platform', { platform: 'freebsd' }, /does not run on freebsd x64/],
  ['another processor', { arch: 'riscv64' }, /does not run on linux riscv64/],
  [
    'a missing package',
    {
      resolve: () => {
        throw new Error('MODULE_NOT_FOUND')
      },
    },
    /package @chdb\/lib-linux-x64-gnu is not installed: run npm install/,
  ],
])('reports a fix if the engine cannot run: %s', (_, changes, message) => {
  expect(() => engineLibrary(machine(changes))).toThrow(EngineMissing)
  expect(() => engineLibrary(machine(changes))).toThrow(message)
})
