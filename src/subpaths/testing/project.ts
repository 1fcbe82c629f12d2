import type { Properties } from 'trailmark'
import type { Settings } from './answers'
import { nearest } from './explainMiss'
import { contains } from './contains'
import { after } from './realTime'
import { explained, flushed, type Sender } from './sender'
import type { BadEvent, Captures, ReceivedEvent, ReceivedRequest } from './types'

/** One project of a collector or a memory transport: what it has received. */
export interface Project extends Captures {
  readonly settings: Settings
  /** Records a request. */
  record(request: ReceivedRequest): void
  /** Says that a request has arrived. The returned function says that it is answered. */
  hold(): () => void
  /** Records events and rejections. */
  add(results: readonly (ReceivedEvent | BadEvent)[]): void
}

const WAIT_MS = 5000
const QUIET_MS = 250
const RECORDING = '$snapshot'

const defaults = (): Settings => ({ flags: {}, config: {}, surveys: [] })

export const isBad = (result: ReceivedEvent | BadEvent): result is BadEvent => 'code' in result

/** Creates a project without events. `sender`: what sends to it. */
export const createProject = (token: string, url: string, sender?: Sender): Project => {
  const settings = defaults()
  let received: ReceivedEvent[] = []
  let rejected: BadEvent[] = []
  let requests: ReceivedRequest[] = []
  let uuids = new Set<string>()
  let open = 0
  const listeners = new Set<() => void>()
  const changed = () => [...listeners].forEach((listener) => listener())

  /** Calls `look` now and after each change, until it returns a result. `onTimeout` throws. */
  const until = <T>(look: () => T | undefined, ms: number, onTimeout: () => Error): Promise<T> =>
    new Promise((resolve, reject) => {
      const end = () => {
        listeners.delete(listener)
        cancel()
      }
      const listener = () => {
        const found = look()
        if (found === undefined) return
        end()
        resolve(found)
      }
      const cancel = after(ms, () => {
        end()
        reject(onTimeout())
      })
      listeners.add(listener)
      listener()
    })

  const events: Captures['events'] = (name) =>
    received.filter(({ event }) => (name === undefined ? event !== RECORDING : event === name))

  return {
    token,
    url,
    settings,
    events,
    bad: () => [...rejected],
    requests: () => [...requests],
    waitFor: (name, subset = {}, { timeout = WAIT_MS } = {}) =>
      until(
        () => events(name).find(({ properties }) => contains(properties, subset)),
        timeout,
        () => new Error(nearest({ name, subset, events: events(), bad: rejected })),
      ),
    flush: () => flushed(sender),
    explain: async (name) => explained(sender?.explain?.(), name),
    quiet: (ms = QUIET_MS) =>
      new Promise((resolve) => {
        let cancel = () => {}
        const wait = () => {
          cancel()
          cancel = open
            ? () => {}
            : after(ms, () => {
                listeners.delete(wait)
                resolve()
              })
        }
        listeners.add(wait)
        wait()
      }),
    setFlags: (flags) => void (settings.flags = { ...flags }),
    setConfig: (items: Properties) => void Object.assign(settings.config, items),
    setSurveys: (surveys) => void (settings.surveys = [...surveys]),
    reset: () => {
      Object.assign(settings, defaults())
      received = []
      rejected = []
      requests = []
      uuids = new Set()
    },
    record: (request) => void requests.push(request),
    hold: () => {
      open += 1
      changed()
      return () => {
        open -= 1
        changed()
      }
    },
    add: (results) => {
      for (const each of results) {
        if (isBad(each)) rejected.push(each)
        else if (!each.uuid || !uuids.has(each.uuid)) received.push(each)
        if (!isBad(each) && each.uuid) uuids.add(each.uuid)
      }
      changed()
    },
  }
}
