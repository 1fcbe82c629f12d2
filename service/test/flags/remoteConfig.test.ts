import { runInNewContext } from 'node:vm'
import { remoteConfigScript } from '../../src/flags/remoteConfig.ts'

const evaluate = (window: Record<string, any>, ...scripts: string[]) => {
  for (const script of scripts) runInNewContext(script, { window })
  return window._POSTHOG_REMOTE_CONFIG
}

test('the remote config script sets the configuration of its project and keeps those of others', () => {
  const found = evaluate({ _POSTHOG_REMOTE_CONFIG: { other: 1 } }, remoteConfigScript({ token: 't', heatmaps: true }))
  expect(JSON.parse(JSON.stringify(found))).toEqual({
    other: 1,
    t: { config: { token: 't', heatmaps: true }, siteApps: [] },
  })
})

test('the remote config script escapes a token', () => {
  const token = '"];alert(1);//</script>\u2028'
  expect(remoteConfigScript({ token })).not.toContain('</script')
  expect(Object.keys(evaluate({}, remoteConfigScript({ token })))).toEqual([token])
})
