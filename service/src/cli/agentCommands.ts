import { bridgeAgent } from './agentBridge.ts'
import { type Command, CommandError } from './command.ts'

const DEFAULT_URL = 'http://127.0.0.1:8000'

const addressOf = (text: string): string => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new CommandError(`the URL of the service must be such as ${DEFAULT_URL}, got "${text}".`)
  const url = new URL(text)
  // The URL may already be that of /mcp, with a query.
  if (!/\/mcp\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/mcp`
  return url.href
}

/** Commands for agents. */
export const AGENT_COMMANDS: readonly Command[] = [
  {
    name: 'mcp',
    words: [],
    options: { url: { value: 'url', what: 'URL of the service, instead of TRAILMARK_URL.' } },
    what: 'Serves agents on standard input and output, with the key in TRAILMARK_API_KEY.',
    async run({ options, env }) {
      const key = env.TRAILMARK_API_KEY
      if (!key) throw new CommandError('set TRAILMARK_API_KEY to a personal API key for agents.')
      const given = typeof options.url === 'string' ? options.url : env.TRAILMARK_URL
      await bridgeAgent({ address: addressOf(given || DEFAULT_URL), key, input: process.stdin, output: process.stdout })
      return { lines: [], data: null }
    },
  },
]
