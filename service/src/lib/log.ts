/** One line for whoever watches the process. */
export type Log = (line: string) => void

/** Writes lines to stderr, with the time in front; stdout belongs to the start-up messages. */
export const createLog = (write: (text: string) => void = (text) => void process.stderr.write(text)): Log =>
  (line) => write(`${new Date().toISOString()} ${line}\n`)
