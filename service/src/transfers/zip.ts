import { type FileHandle, open } from 'node:fs/promises'
import { ImportError } from './importError.ts'

/** Position of a file's bytes in a zip archive. */
export interface ZipEntry {
  readonly name: string
  readonly start: number
  /** The last byte. */
  readonly end: number
  readonly isDeflated: boolean
}

const END = 0x06054b50
const ENTRY = 0x02014b50
const END_BYTES = 22
const MAX_COMMENT = 65_535
const MAX_DIRECTORY = 100_000_000
const LOCAL_BYTES = 30
const ZIP64 = 0xffffffff

const readAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const damaged = () => new ImportError('it is not a whole zip archive')

/** Lists the files of an archive. Rejects with `ImportError`. */
export const zipEntries = async (path: string): Promise<readonly ZipEntry[]> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const tail = await readAt(file, Math.max(0, size - END_BYTES - MAX_COMMENT), END_BYTES + MAX_COMMENT)
    let at = tail.length - END_BYTES
    while (at >= 0 && tail.readUInt32LE(at) !== END) at -= 1
    if (at < 0) throw damaged()
    const [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    if (offset === ZIP64 || length > MAX_DIRECTORY)
      throw new ImportError('zip archives of more than 4 GB cannot be read: unpack it first')
    const directory = await readAt(file, offset, length)
    const entries: ZipEntry[] = []
    for (let place = 0; place + 46 <= directory.length;) {
      if (directory.readUInt32LE(place) !== ENTRY) throw damaged()
      const [method, packed] = [directory.readUInt16LE(place + 10), directory.readUInt32LE(place + 20)]
      const [nameLength, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(place + field)) as [
        number,
        number,
        number,
      ]
      const local = directory.readUInt32LE(place + 42)
      const name = directory.toString('utf8', place + 46, place + 46 + nameLength)
      const head = await readAt(file, local, LOCAL_BYTES)
      if (head.length < LOCAL_BYTES || local === ZIP64) throw damaged()
      const start = local + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28)
      if (method !== 0 && method !== 8) throw new ImportError(`"${name}" is packed in a way that cannot be read`)
      if (packed > 0) entries.push({ name, start, end: start + packed - 1, isDeflated: method === 8 })
      place += 46 + nameLength + extra + comment
    }
    return entries
  } finally {
    await file.close()
  }
}
