import { isBotUserAgent } from '../../src/lib/bots'

test.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', [], true],
  ['Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0.0.0', [], true],
  ['Mozilla/5.0 (compatible; GPTBot/1.1)', [], true],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/130.0.0.0 Safari/537.36', [], false],
  ['Mozilla/5.0 (iPhone) [Pinterest/iOS]', [], false],
  ['Electron/33.0 Chrome/130', [], false],
  ['My Monitor 1.0', ['my monitor'], true],
  ['My Monitor 1.0', ['MONITOR'], true],
  ['My Monitor 1.0', [''], false],
])('%s, blocking %j: %s', (agent, blocked, expected) => expect(isBotUserAgent(agent, blocked)).toBe(expected))
