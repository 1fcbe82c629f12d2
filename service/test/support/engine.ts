import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Speaks to a service's embedded engine past the service. */
export interface EngineAccess {
  /** Rejects with the engine's message. */
  ask(user: 'writer' | 'reader', query: string, settings?: Readonly<Record<string, string>>): Promise<unknown[][]>
  readonly url: string
}

const between = (text: string, before: string, after: string) => text.split(before)[1]!.split(after)[0]!

/** The engine that runs in the data folder, with the access that its configuration file holds. */
export const engineOf = (data: string): EngineAccess => {
  const config = readFileSync(join(data, 'engine', 'config.xml'), 'utf8')
  const key = between(config, '<x-engine-key>', '<')
  const passwords = { writer: between(between(config, '<writer>', '</writer>'), '<password>', '<'), reader: between(between(config, '<reader>', '</reader>'), '<password>', '<') }
  const url = `http://127.0.0.1:${between(config, '<http_port>', '<')}`
  return {
    url,
    async ask(user, query, settings = {}) {
      const parameters = new URLSearchParams({ user, password: passwords[user], default_format: 'JSONCompact', ...settings })
      const response = await fetch(`${url}/?${parameters}`, { method: 'POST', headers: { 'x-engine-key': key }, body: query })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text ? JSON.parse(text).data : []
    },
  }
}

/** Process ids of the children of `pid`. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Whether a process runs; a dead one that nobody has asked about does not. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Resolves when `holds` does. Rejects after `ms`. */
export const until = async (holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> => {
  const deadline = Date.now() + ms
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not come true within ${ms} ms: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
