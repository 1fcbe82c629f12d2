import { isAutomated, readAgentNames } from '../../browser/page'
import { isBotUserAgent } from '../../lib/bots'
import type { Config } from '../../types'
import { type Stage, withProperties } from '../stage'

type BotOptions = Pick<Config, 'opt_out_useragent_filter' | 'custom_blocked_useragents'>

/**
 * Drops events of bots; with `opt_out_useragent_filter`, adds `$browser_type` instead. The result is cached for as long
 * as the list is the same: user agents do not change on a page.
 */
export const filterBots = (
  config: BotOptions,
  names = readAgentNames,
  automated = isAutomated,
  warn: (message: string) => void = () => {},
): Stage => {
  let list: string[] | undefined
  let hasWarned = false
  let isBot = false
  return (event) => {
    if (list !== config.custom_blocked_useragents) {
      list = config.custom_blocked_useragents
      isBot = automated() || names().some((name) => isBotUserAgent(name, list))
    }
    if (config.opt_out_useragent_filter) return withProperties(event, { $browser_type: isBot ? 'bot' : 'browser' })
    if (!isBot) return event
    if (!hasWarned)
      warn('This browser is automated or a bot: events are dropped without opt_out_useragent_filter: true')
    hasWarned = true
    return { drop: 'bot' }
  }
}
