import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'

/** Returns the country of an IP address, as two letters. `undefined`: unknown. */
export type CountryOf = (address: string) => string | undefined

const BYTES = 16
/** Maximum characters of an IP address, zone included. */
const MAX_ADDRESS = 64

/** Returns an IP address as 16 bytes, IPv4 mapped into IPv6. `undefined`: not an IP address. */
const bytesOf = (address: string): Buffer | undefined => {
  const version = address.length <= MAX_ADDRESS ? isIP(address) : 0
  if (!version) return undefined
  // IPv4, alone or at the end of IPv6, as two groups.
  const groups = (version === 4 ? `::ffff:${address}` : address)
    .replace(/%.*$/, '')
    .replace(
      /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
      (_, a, b, c, d) => `${(Number(a) * 256 + Number(b)).toString(16)}:${(Number(c) * 256 + Number(d)).toString(16)}`,
    )
  const [before = '', after] = groups.split('::')
  const listed = (part: string) => (part ? part.split(':') : [])
  const [head, tail] = [listed(before), listed(after ?? '')]
  const bytes = Buffer.alloc(BYTES)
  ;[...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail].forEach((group, at) =>
    bytes.writeUInt16BE(parseInt(group, 16), at * 2),
  )
  return bytes
}

const LINE = /^"?([0-9a-f.:]+)"?[,;]"?([0-9a-f.:]+)"?[,;]"?([a-z]{2})"?(?:[,;].*)?$/i

/**
 * Reads a CSV file of IP ranges with lines `first IP,last IP,country` and no header, such as those from db-ip.com. Returns a lookup
 * function. Throws an Error that says what is wrong with the file.
 */
export const readCountries = (file: string): CountryOf => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`TRAILMARK_GEOIP_FILE cannot be read: ${(error as Error).message}.`, { cause: error })
  }
  const lines = text.split(/\r?\n/)
  const ranges = lines.flatMap((line, index) => {
    if (!line.trim()) return []
    const [, from = '', to = '', country = ''] = LINE.exec(line.trim()) ?? []
    const [first, last] = [bytesOf(from), bytesOf(to)]
    if (!first || !last || first.compare(last) > 0)
      throw new Error(
        `TRAILMARK_GEOIP_FILE, line ${index + 1}: expected "first IP,last IP,two-letter country", such as "2.16.0.0,2.16.0.255,DE".`,
      )
    return [{ first, last, country: country.toUpperCase() }]
  })
  ranges.sort((a, b) => a.first.compare(b.first))
  // Flat buffers without an object per range: there may be a million.
  const [firsts, lasts] = [
    Buffer.concat(ranges.map(({ first }) => first)),
    Buffer.concat(ranges.map(({ last }) => last)),
  ]
  const countries = ranges.map(({ country }) => country)
  const at = (of: Buffer, index: number) => of.subarray(index * BYTES, (index + 1) * BYTES)

  return (address) => {
    const wanted = bytesOf(address)
    if (!wanted) return undefined
    let [from, to] = [0, countries.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (at(firsts, middle).compare(wanted) > 0) to = middle
      else from = middle + 1
    }
    return from > 0 && at(lasts, from - 1).compare(wanted) >= 0 ? countries[from - 1] : undefined
  }
}
