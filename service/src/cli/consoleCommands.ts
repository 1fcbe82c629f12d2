import { createLink, LINK_MINUTES, startKey } from '../console/links.ts'
import { type Command, CommandError } from './command.ts'
import { findKey, withKeys } from './keyCommands.ts'
import { OPERATOR } from './operator.ts'

export const CONSOLE_COMMANDS: readonly Command[] = [
  {
    name: 'console',
    words: [],
    options: { key: { value: 'id|label', what: 'The key whose rights the session has, instead of the first key.' } },
    what: 'Prints a link that opens the console of the running service, once.',
    run: (call) =>
      withKeys(call, async (keys, metadata) => {
        const { url: consoleUrl } = await metadata.console.instance()
        if (!consoleUrl)
          throw new CommandError(
            'the service has not recorded where its console is: start it with "trailmark serve", whose startup message names the URL or the reason.',
          )
        const { key: word } = call.options
        const key =
          typeof word === 'string' ? await findKey(call, keys, word) : startKey(await keys.list(OPERATOR(call)))
        const link = key && (await createLink(metadata, { consoleUrl, keyId: key.id }))
        if (!link)
          throw new CommandError(
            'the first key was revoked: pass another with --key <id|label> (see "trailmark key list"), or restart the service to create one.',
          )
        return {
          lines: [
            link.url,
            `This link signs in once, within ${LINK_MINUTES} minutes, with the rights of the key "${key.label}".`,
          ],
          data: { ...link, key: { id: key.id, label: key.label } },
        }
      }),
  },
]
