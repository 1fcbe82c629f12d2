import type { Link } from '../host'
import { objectOf } from '../lib/objects'
import type { Stop } from '../types'
import type { CallMethod, Client } from './feature'

/** How a feature handles calls of methods that its extension has. */
interface Late {
  /** Returns why the extension will not load. `undefined`: it may still load, and calls wait for it. */
  absence(): string | undefined
  /** Called when a call begins to wait. */
  onWait?(): void
  /** Answers a call that will not reach the extension. `absence`: the reason; undefined if too many calls wait. */
  answer(path: string, args: readonly unknown[], absence?: string): unknown
}

/** Returns the handler of calls that arrive before the feature's extension, or without it. */
export const lateCalls =
  ({ calls, moment }: Client, { absence, onWait, answer }: Late): CallMethod =>
  (path, args) => {
    const reason = absence()
    if (reason || !calls.hasRoom()) return answer(path, args, reason)
    onWait?.()
    const early = calls.early()
    // Keeps the earlier moment, because between two persons the page still belongs to the first.
    const now = early?.layers ? early : { ...moment(), trace: new Error() }
    const add = (onResult?: (result: unknown) => void) => calls.add(path, args, now, onResult)
    return path.endsWith('Async') ? new Promise(add) : add()
  }

/** Returns a function that adds the members of an extension to its client until stopped, and runs the calls that waited for them. */
export const linkTo =
  ({ api, calls, connections }: Client) =>
  (link: Link): Stop => {
    const names = Object.keys(link.api ?? {})
    connections.push(link)
    Object.assign(api(), link.api)
    calls.replay()
    return () => {
      connections.splice(connections.indexOf(link), 1)
      Object.assign(
        api(),
        objectOf(names, () => undefined),
      )
    }
  }
