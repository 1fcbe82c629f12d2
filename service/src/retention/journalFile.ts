import type { Deletion, DeletionStore, ErasedId, ErasureStore } from './store.ts'

/** Erased data: persons, and events by condition. */
export interface Journal {
  readonly erasures: readonly ErasedId[]
  readonly deletions: readonly Deletion[]
}

/** A line of the file is not one of a journal. */
export class NoJournal extends Error {
  override name = 'NoJournal'
}

export const readJournal = async (
  erasures: Pick<ErasureStore, 'all'>,
  deletions: Pick<DeletionStore, 'targets'>,
): Promise<Journal> => ({ erasures: await erasures.all(), deletions: await deletions.targets() })

/** Returns the journal as lines of JSON. */
export const toLines = ({ erasures, deletions }: Journal): string =>
  [
    ...erasures.map((erased) => ({ kind: 'person', ...erased })),
    ...deletions.map((deletion) => ({ ...deletion, kind: 'events' })),
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')

const isErased = (entry: Record<string, unknown>): boolean =>
  Number.isInteger(entry.projectId) &&
  /^[0-9a-f]{32}$/.test(String(entry.hash)) &&
  !Number.isNaN(Date.parse(String(entry.erasedAt))) &&
  typeof entry.withEvents === 'boolean'

const isDeletion = (entry: Record<string, unknown>): boolean => {
  const { until } = (entry.target ?? {}) as { until?: unknown }
  return Number.isInteger(entry.projectId) && typeof entry.id === 'string' && !Number.isNaN(Date.parse(String(until)))
}

const parseLine = (line: string, number: number): Record<string, unknown> => {
  let entry: Record<string, unknown> | undefined
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    // The line is not JSON.
  }
  if (entry?.kind === 'person' ? isErased(entry) : entry?.kind === 'events' && isDeletion(entry)) return entry!
  throw new NoJournal(`line ${number} is not an entry of a journal`)
}

/** Reads lines of JSON. Throws `NoJournal`. */
export const parseLines = (text: string): Journal => {
  const entries = text.split('\n').flatMap((line, at) => (line.trim() ? [parseLine(line, at + 1)] : []))
  return {
    erasures: entries.filter(({ kind }) => kind === 'person') as unknown as ErasedId[],
    deletions: entries.filter(({ kind }) => kind === 'events') as unknown as Deletion[],
  }
}
