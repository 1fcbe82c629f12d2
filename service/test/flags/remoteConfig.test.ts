import { runInNewContext } from 'node:vm'
import { answerFlags } from '../../src/flags/flags.ts'
import { remoteConfig, remoteConfigScript } from '../../src/flags/remoteConfig.ts'

const evaluate = (window: Record<string, any>, ...scripts: string[]) => {
  for (const script of scripts) runInNewContext(script, { window })
  return window._POSTHOG_REMOTE_CONFIG
}

test('the script hands over the configuration and keeps those of other projects', () => {
  const found = evaluate({ _POSTHOG_REMOTE_CONFIG: { other: 1 } }, remoteConfigScript('t'))
  expect(JSON.parse(JSON.stringify(found))).toEqual({ other: 1, t: { config: remoteConfig('t'), siteApps: [] } })
})

test('a token cannot leave the script', () => {
  const token = '"];alert(1);//</script>\u2028'
  expect(remoteConfigScript(token)).not.toContain('</script')
  expect(Object.keys(evaluate({}, remoteConfigScript(token)))).toEqual([token])
})

test.each([
  [{ withConfig: false, version: 2 }, ['flags', 'errorsWhileComputingFlags', 'requestId', 'evaluatedAt']],
  [{ withConfig: false, version: 1 }, ['flags', 'featureFlags', 'featureFlagPayloads', 'errorsWhileComputingFlags', 'requestId', 'evaluatedAt']],
  [{ withConfig: true, version: 2 }, ['flags', 'errorsWhileComputingFlags', 'requestId', 'evaluatedAt', ...Object.keys(remoteConfig('t'))]],
])('the answer to %j', (question, fields) => {
  expect(Object.keys(answerFlags({ token: 't', askedAt: 5, ...question }))).toEqual(fields)
})
