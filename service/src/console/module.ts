import type { Config } from '../config.ts'
import type { Console } from './console.ts'
import { createLink, startKey } from './links.ts'
import { createConsoleSessions } from './sessions.ts'
import { isConsoleHost } from '../http/console.ts'
import { CONSOLE_PATH, createConsoleFiles } from './files.ts'
import type { Module } from '../module.ts'
import { CONSOLE_ROUTES, type ConsoleParts } from './routes.ts'
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

/** The page of the console, and its sessions. */
export const CONSOLE: Module<ConsoleParts> = {
  create({
    config: { consoleHosts: hosts, consoleBase: base, consoleDir: folder, staticDir },
    instance,
    metadata,
    log,
  }) {
    return {
      console: {
        address: { hosts, base, instance },
        files: createConsoleFiles({ folder, base, staticDir }),
        sessions: createConsoleSessions({ metadata, instance, log }),
      },
      projectByToken: metadata.projects.byToken,
    }
  },
  routes: CONSOLE_ROUTES,
}

/** Records where the console is, for `trailmark console`, and creates a link for the startup message. */
export const announceConsole = async (
  { files }: Pick<Console, 'files'>,
  { config, metadata, url }: { readonly config: Config; readonly metadata: Metadata; readonly url: string },
): Promise<ConsoleNotice> => {
  const consoleUrl = consoleUrlOf(config, url)
  await metadata.console.setUrl(consoleUrl)
  if (!consoleUrl)
    return {
      problem: `answers on ${config.consoleHosts.join(', ')} only. Set TRAILMARK_CONSOLE_HOSTS to the host in its URL, such as ${new URL(url).host}.`,
    }
  if (!files.isBuilt()) return { problem: 'not built. Run "npm run build".' }
  const key = startKey(await metadata.keys.list())
  const link = key && (await createLink(metadata, { consoleUrl, keyId: key.id }))
  return link
    ? { link: link.url }
    : {
        problem: 'the first key was revoked. Print a link for another key with "trailmark console --key <id|label>".',
      }
}
