import type { Config } from '../config.ts'
import { createLink, startKey } from '../console/links.ts'
import { createConsoleSessions } from '../console/sessions.ts'
import { isConsoleHost } from '../http/console.ts'
import { CONSOLE_PATH, createConsoleFiles } from '../http/consoleFiles.ts'
import type { Dependencies } from '../http/route.ts'
import type { Log } from '../lib/log.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

/** A link that opens the console once, or why there is none and what to do. */
export type ConsoleNotice = { readonly link: string } | { readonly problem: string }

type Address = Pick<Config, 'consoleHosts' | 'consoleBase'>

/** Returns the URL of the console. `url`: where the service listens. Absent: the console answers on no host of it. */
export const consoleUrlOf = ({ consoleHosts, consoleBase }: Address, url: string): string | undefined => {
  const path = `${consoleBase}${CONSOLE_PATH}`
  const { host, port } = new URL(url)
  if (isConsoleHost({ hosts: consoleHosts }, { host })) return `${url}${path}`
  // A host that the operator configured: a name belongs to a proxy with TLS, an IP address to this machine.
  const named = consoleHosts.find((name) => !/^(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(name))
  if (!named) return undefined
  if (!/^[\d.]+(?::|$)|^\[/.test(named)) return `https://${named}${path}`
  return `http://${/:\d+$/.test(named) ? named : `${named}:${port}`}${path}`
}

/** What the service calls, and the startup message. */
export interface ConnectedConsole {
  readonly dependency: Dependencies['console']
  /** Records where the console is, for `trailmark console`, and creates a link for the startup message. */
  announce(url: string): Promise<ConsoleNotice>
}

/** Creates the console's sessions and files. */
export const connectConsole = async (config: Config, metadata: Metadata, log: Log): Promise<ConnectedConsole> => {
  const { consoleHosts: hosts, consoleBase: base, consoleDir: folder } = config
  const { id: instance } = await metadata.console.instance()
  const files = createConsoleFiles({ folder, base })
  return {
    dependency: {
      address: { hosts, base, instance },
      files,
      sessions: createConsoleSessions({ metadata, instance, log }),
    },
    async announce(url) {
      const consoleUrl = consoleUrlOf(config, url)
      await metadata.console.setUrl(consoleUrl)
      if (!consoleUrl)
        return {
          problem: `answers on ${hosts.join(', ')} only. Set TRAILMARK_CONSOLE_HOSTS to the host in its URL, such as ${new URL(url).host}.`,
        }
      if (!files.isBuilt()) return { problem: 'not built. Run "npm run build".' }
      const key = startKey(await metadata.keys.list())
      const link = key && (await createLink(metadata, { consoleUrl, keyId: key.id }))
      return link
        ? { link: link.url }
        : {
            problem:
              'the first key was revoked. Print a link for another key with "trailmark console --key <id|label>".',
          }
    },
  }
}
