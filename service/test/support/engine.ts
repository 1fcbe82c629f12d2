import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Access to a service's engine that bypasses the service. */
export interface EngineAccess {
  /** Returns the rows of all nodes (the embedded engine has one). Rejects with the engine's message. */
  ask(user: 'writer' | 'reader', query: string, settings?: Readonly<Record<string, string>>): Promise<unknown[][]>
  readonly url: string
}

const between = (text: string, before: string, after: string) => text.split(before)[1]!.split(after)[0]!

interface Accounts {
  readonly writer: readonly [name: string, password: string]
  readonly reader: readonly [name: string, password: string]
}

const accessTo = (url: string, key: string, accounts: Accounts): EngineAccess => ({
  url,
  async ask(user, query, settings = {}) {
    const [name, password] = accounts[user]
    const parameters = new URLSearchParams({ user: name, password, default_format: 'JSONCompact', ...settings })
    const response = await fetch(`${url}/?${parameters.toString()}`, {
      method: 'POST',
      headers: { 'x-engine-key': key },
      body: query,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text ? JSON.parse(text).data : []
  },
})

const MINE = ['mine', 'secret'] as const

const clusterAccess = (folders: readonly string[]): EngineAccess => {
  const nodes = folders.map((folder) =>
    accessTo(`http://127.0.0.1:${between(readFileSync(join(folder, 'config.xml'), 'utf8'), '<http_port>', '<')}`, '', {
      writer: MINE,
      reader: MINE,
    }),
  )
  return {
    url: nodes[0]!.url,
    ask: async (...question) => (await Promise.all(nodes.map(({ ask }) => ask(...question)))).flat(),
  }
}

/** Returns access to the engine of a data folder with the credentials of its configuration file, or to the test cluster there. */
export const engineOf = (data: string): EngineAccess => {
  const nodes = ['one', 'two'].map((node) => join(data, 'cluster', node))
  if (nodes.every((node) => existsSync(node))) return clusterAccess(nodes)
  const config = readFileSync(join(data, 'engine', 'config.xml'), 'utf8')
  const key = between(config, '<x-engine-key>', '<')
  const account = (name: 'writer' | 'reader') =>
    [name, between(between(config, `<${name}>`, `</${name}>`), '<password>', '<')] as const
  return accessTo(`http://127.0.0.1:${between(config, '<http_port>', '<')}`, key, {
    writer: account('writer'),
    reader: account('reader'),
  })
}

/** Returns the process IDs of the children of `pid`. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Whether a process runs. Zombies do not count. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

// Checks often at first, and less often the longer the wait: a check may be a request that runs a query.
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [20, 500]

/** Resolves when `holds` returns true, at most a tenth of the wait later. Rejects after `ms`. */
export const until = async (holds: () => boolean | Promise<boolean>, ms = 120_000): Promise<void> => {
  const startedAt = Date.now()
  while (!(await holds())) {
    const waitedMs = Date.now() - startedAt
    if (waitedMs > ms) throw new Error(`Timed out after ${ms} ms waiting for ${holds.toString()}`)
    const pauseMs = Math.min(Math.max(waitedMs / 10, MIN_PAUSE_MS), MAX_PAUSE_MS)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
