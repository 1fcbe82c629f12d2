interface Handle {
  unref?(): void
}

/** Starts a timer that does not keep the process alive. */
export const startIdleTimer = (run: () => void, ms: number): (() => void) => {
  const timer = setTimeout(run, ms)
  const { unref } = timer as Handle
  if (unref) unref.call(timer)
  else (globalThis as { Deno?: { unrefTimer?(id: unknown): void } }).Deno?.unrefTimer?.(timer)
  return () => clearTimeout(timer)
}

/** Waits for a promise, for at most `ms`. The timer ends with it. */
export const within = async (ms: number, promise?: Promise<unknown>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((done) => (timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1))))
  await Promise.race([timeout, ...(promise ? [promise] : [])])
  clearTimeout(timer)
}
