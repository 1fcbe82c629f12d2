import { attempt, readAs } from '../lib/attempt'
import { timeZone } from '../lib/timeZone'
import { type Agent, readUserAgent } from '../lib/userAgent'
import type { Properties } from '../types'
import { nav, readAgent } from './page'

// An Android tablet that requests desktop sites claims to be Linux. Client hints and touch points reveal it.
const kindOfDesktop = (): Agent['$device_type'] =>
  nav().userAgentData?.platform === 'Android' && nav().maxTouchPoints > 0
    ? Math.min(screen.width, screen.height) / (devicePixelRatio || 1) >= 600
      ? 'Tablet'
      : 'Mobile'
    : 'Desktop'

/**
 * Returns properties that do not change while the page lives: browser, system, device, language, time zone
 * (docs/reference/protocol.md#5.3).
 */
export const readDevice = (detectsGoogleApp?: boolean): Properties => {
  const agent = readAgent()
  const language = readAs('string', () => navigator.language)
  const parsed = readUserAgent(agent, detectsGoogleApp)
  return {
    ...parsed,
    $device_type: (parsed.$device_type === 'Desktop' && attempt(kindOfDesktop)) || parsed.$device_type,
    // Brave claims to be Chrome, has its own object, and does not expose its version.
    ...(attempt(() => nav().brave) ? { $browser: 'Brave', $browser_version: null } : {}),
    $timezone: timeZone(),
    $timezone_offset: readAs('number', () => new Date().getTimezoneOffset()),
    $raw_user_agent: agent.length > 1000 ? `${agent.slice(0, 997)}...` : agent,
    $browser_language: language,
    $browser_language_prefix: language?.split('-')[0],
  }
}
