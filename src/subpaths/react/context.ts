import { createContext, useContext } from 'react'
import { type Analytics, analytics, type Bootstrap } from 'trailmark'
import { tell } from './mistakes'

export interface TrailmarkContext {
  client: Analytics
  /** Identity and flags that the server has rendered with. */
  bootstrap: Bootstrap
}

export const Context = createContext<TrailmarkContext | null>(null)

const WITHOUT_PROVIDER: TrailmarkContext = { client: analytics, bootstrap: {} }

/** Returns what the provider has, or the primary instance and a message if there is no provider. */
export const contextOr = (context: TrailmarkContext | null, user: string): TrailmarkContext => {
  if (context) return context
  tell(`${user} has no <TrailmarkProvider> above it, so servers render no flags. Put it around the application`)
  return WITHOUT_PROVIDER
}

/** Returns the instance and the server's flags. `hook`: the name for messages. */
export const useProvided = (hook: string): TrailmarkContext => contextOr(useContext(Context), hook)
