/** A finding of `check`. */
export interface Finding {
  level: 'error' | 'warning' | 'ok'
  /** A name for programs, such as `csp`. */
  code: string
  /** The observation. */
  seen: string
  /** Advice on how to fix it. */
  advice?: string
}
