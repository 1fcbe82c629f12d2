import { own } from '../lib/own.ts'
import { readFileSync, statSync } from 'node:fs'
import { Reader, type Response } from 'mmdb-lib'
import type { Log } from '../lib/log.ts'
import { readCountries } from './countries.ts'

/** Location of an IP address. Absent fields: unknown. */
export interface Place {
  /** Two letters. */
  readonly country?: string
  readonly region?: string
  readonly city?: string
}

/** Returns where an IP address is. `undefined`: not known. Never throws. */
export type PlaceOf = (address: string) => Place | undefined

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

type Fields = Readonly<Record<string, unknown>>

/** Reads a value at a path of objects and lists. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? own(inner as Fields, String(key)) : undefined),
    value,
  )

/** Reads an entry of a file: nested as in MaxMind's files, or flat as in those of ip-location-db. */
const toPlace = (found: unknown): Place => {
  const country = textOf(at(found, 'country', 'iso_code')) ?? textOf(at(found, 'country_code'))
  const region = textOf(at(found, 'subdivisions', 0, 'names', 'en')) ?? textOf(at(found, 'state1'))
  const city = textOf(at(found, 'city', 'names', 'en')) ?? textOf(at(found, 'city'))
  return { ...(country ? { country } : {}), ...(region ? { region } : {}), ...(city ? { city } : {}) }
}

const readMmdb = (file: string): PlaceOf => {
  let reader: Reader<Response>
  try {
    reader = new Reader<Response>(readFileSync(file))
  } catch (error) {
    throw new Error(
      `TRAILMARK_GEOIP_FILE, ${file}: it is no database in the format mmdb (${(error as Error).message}).`,
      {
        cause: error,
      },
    )
  }
  return (address) => {
    try {
      const found = reader.get(address.replace(/^::ffff:(?=\d+\.)/i, ''))
      return found ? toPlace(found) : undefined
    } catch {
      return undefined // Not an IP address, or a damaged file: the event is stored without a place.
    }
  }
}

const readCsv = (file: string): PlaceOf => {
  const countryOf = readCountries(file)
  return (address) => {
    const country = countryOf(address)
    return country === undefined ? undefined : { country }
  }
}

const read = (file: string): PlaceOf => (/\.mmdb$/i.test(file) ? readMmdb : readCsv)(file)

const versionOf = (file: string): string => {
  const { mtimeMs, size, ino } = statSync(file)
  return `${mtimeMs} ${size} ${ino}`
}

export interface Places {
  readonly placeOf: PlaceOf
  /** Reads files again that have changed. Keeps what it has of a file that cannot be read. */
  refresh(): Promise<void>
}

/** Opens files of places. The first one that knows an address counts. Throws an Error that says what is wrong with a file. */
export const openPlaces = (files: readonly string[], log: Log): Places => {
  const open = files.map((file) => {
    const placeOf = read(file)
    return { file, placeOf, version: versionOf(file) }
  })
  return {
    placeOf(address) {
      for (const { placeOf } of open) {
        const place = placeOf(address)
        if (place) return place
      }
      return undefined
    },
    async refresh() {
      for (const each of open) {
        try {
          const version = versionOf(each.file)
          if (version === each.version) continue
          // A file that is bad is not read again before it changes.
          each.version = version
          each.placeOf = read(each.file)
          log(`places: ${each.file} was read again`)
        } catch (error) {
          log(`places: the previous ${each.file} stays in use: ${(error as Error).message}`, { level: 'error' })
        }
      }
    },
  }
}
