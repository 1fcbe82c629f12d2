import { type Analytics, analytics, type Options } from 'trailmark'
import { tell } from './mistakes'

interface Started {
  client: Analytics
  options: string
}

/** The instances of the page by name. Global, because hot reload may evaluate this module again. */
const started = (): Record<string, Started> =>
  ((globalThis as { __trailmark_started__?: Record<string, Started> }).__trailmark_started__ ??= {})

const textOf = (options: Options | undefined): string => JSON.stringify(options ?? {})

/** Tells what is wrong with a provider whose instance already runs. */
const check = ({ client, options }: Started, token: string, name: string, wanted: string): void => {
  if (client.config.token !== token)
    tell(
      `<TrailmarkProvider> got the token ${token}, but ${client.config.token} already runs and is used. Give one provider a name`,
    )
  else if (process.env.NODE_ENV !== 'production' && options !== wanted)
    tell(
      `<TrailmarkProvider${name && ` name="${name}"`}> got other options than those it has started with, which stay. Reload the page, or change options with set_config`,
    )
}

/** Starts an instance in the browser, or returns the one of this name that already runs. */
export const start = (token: string, options: Options | undefined, name = ''): Analytics => {
  const wanted = textOf(options)
  // The site may have called `init` itself.
  const known = started()[name] ?? (!name && analytics.__loaded && { client: analytics, options: wanted })
  if (known && known.client.__loaded) {
    check(known, token, name, wanted)
    return known.client
  }
  const client = analytics.init(token, options, name || undefined)
  started()[name] = { client, options: wanted }
  return client
}
