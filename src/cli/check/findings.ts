/** What `check` has found. */
export interface Finding {
  level: 'error' | 'warning' | 'ok'
  /** A name for programs, such as `csp`. */
  code: string
  /** What was seen. */
  seen: string
  /** What to do. */
  advice?: string
}
