import { maskSource } from './mask'

/** A place that a person has to check. */
export interface Finding {
  /** `todo`: it does not work any more. `differs`: it works, with this difference. */
  kind: 'todo' | 'differs'
  line: number
  name: string
  message: string
}

/** Whether a member or an option is the same here, and what differs (docs/reference/posthog-js.md). */
export type Row = readonly [status: string, note: string]
/** A replacement of a part of the source. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** The changes of one file. */
export interface Draft {
  source: string
  /** The source with blanks for all that is not code. */
  masked: string
  edits: Edit[]
  findings: Finding[]
  /** Names of the object of posthog-js in the file. */
  locals: Set<string>
  /** Adds a finding. Reports each difference once per file. */
  add(kind: Finding['kind'], at: number, name: string, message: string): void
  /** Whether there is code at a position. */
  isCode(at: number): boolean
  /** Whether an edit replaces the position. */
  isDone(at: number): boolean
}

/** Starts the changes of a file. */
export const createDraft = (source: string): Draft => {
  const masked = maskSource(source)
  const edits: Edit[] = []
  const findings: Finding[] = []
  const told = new Set<string>()
  return {
    source,
    masked,
    edits,
    findings,
    locals: new Set(),
    add: (kind, at, name, message) => {
      if (kind === 'differs' && told.has(name)) return
      told.add(name)
      findings.push({ kind, line: source.slice(0, at).split('\n').length, name, message })
    },
    isCode: (at) => masked[at] === source[at],
    isDone: (at) => edits.some(({ start, end }) => start <= at && at < end),
  }
}

/** Returns the source with all edits. */
export const applied = ({ source, edits }: Draft): string =>
  [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((code, { start, end, text }) => code.slice(0, start) + text + code.slice(end), source)
