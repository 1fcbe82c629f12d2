import { createElement, type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { type Analytics, analytics, type Bootstrap, type Options } from 'trailmark'
import { Context } from './context'
import { isServer, tell } from './mistakes'
import { start } from './start'

export interface TrailmarkProviderProps {
  /** The project's token. Absent: `client`. */
  token?: string
  /** Options of `init`. They are read once. */
  options?: Options
  /** Name of another instance than the primary one. */
  name?: string
  /** An instance that the site starts itself, instead of `token`, `options` and `name`. */
  client?: Analytics
  /** Identity and flags that the server knows, for its markup and for the first render in the browser. Default: `options.bootstrap`. */
  bootstrap?: Bootstrap
  children?: ReactNode
}

const find = ({ token, options, name, client, bootstrap }: TrailmarkProviderProps): Analytics => {
  if (client) return client
  if (token === undefined) tell('<TrailmarkProvider> needs a token or a client')
  // A server has one instance and many visitors, whose flags are in the context only.
  if (isServer() || token === undefined) return analytics
  return start(token, bootstrap ? { ...options, bootstrap } : options, name)
}

/**
 * Starts Trailmark once and passes it to the hooks below. Starts while the browser renders, because effects of children run
 * before those of parents. Unmounting stops nothing.
 */
export const TrailmarkProvider = (props: TrailmarkProviderProps): ReactElement => {
  const { children, options, token, name } = props
  // The first values, because hydration needs what the server had.
  const [value] = useState(() => ({ client: find(props), bootstrap: props.bootstrap ?? options?.bootstrap ?? {} }))
  if (process.env.NODE_ENV !== 'production')
    // Looks at new props, for messages only. oxlint-disable-next-line: the condition never changes.
    useEffect(() => void find(props), [token, name, options])
  return createElement(Context.Provider, { value }, children)
}
