import { botOf } from '../../src/ingest/bots.ts'

test.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'googlebot', 'search'],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'gptbot',
    'ai',
  ],
  ['Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 'claudebot', 'ai'],
  ['facebookexternalhit/1.1', 'facebookexternal', 'preview'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
    'headlesschrome',
    'headless',
  ],
  ['SomeNewBot/1.0', 'bot/', 'other'],
])('detects the user agent %s as a bot', (userAgent, name, category) => {
  expect(botOf(userAgent)).toEqual({ name, category })
})

test.each([
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]',
  'Mozilla/5.0 (Linux; Android 9; CUBOT_X18_Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
  '',
])('does not detect the user agent "%s" as a bot', (userAgent) => {
  expect(botOf(userAgent)).toBeUndefined()
})

test('the user agent cache is bounded and does not change results', () => {
  for (let n = 0; n < 5_000; n += 1) expect(botOf(`Agent ${n}`)).toBeUndefined()
  expect(botOf('bingbot/2.0')).toEqual({ name: 'bingbot', category: 'search' })
})
