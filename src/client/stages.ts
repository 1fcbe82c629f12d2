import type { ScrollDepth } from '../browser/scroll'
import { OPTIONS } from '../config/options'
import type { Log } from '../lib/log'
import type { RewriteText } from '../lib/serialize'
import { addFrom } from '../pipeline/stages/addFrom'
import { addIdentity } from '../pipeline/stages/addIdentity'
import { addPage } from '../pipeline/stages/addPage'
import { addPageview } from '../pipeline/stages/addPageview'
import { addPerson, type PersonState } from '../pipeline/stages/addPerson'
import { addSession } from '../pipeline/stages/addSession'
import { denyProperties } from '../pipeline/stages/denyProperties'
import { anonymize } from '../pipeline/stages/anonymize'
import { filterBots } from '../pipeline/stages/filterBots'
import { limitRate } from '../pipeline/stages/limitRate'
import { requireConsent } from '../pipeline/stages/requireConsent'
import { requireName } from '../pipeline/stages/requireName'
import { runBeforeSend } from '../pipeline/stages/runBeforeSend'
import type { Config, Properties } from '../types'

export interface StageInputs {
  config: Config
  token: string
  /** What happens to strings that the site passes. */
  rewrite: RewriteText
  log: Log
  isOptedOut(): boolean
  onRateLimit(): void
  touchSession(isLeaving?: boolean): { sessionId: string; windowId: string }
  isIdentified(): boolean
  scroll: { take(): ScrollDepth | undefined }
  /** Properties of the session: where it came from, what was registered for it. */
  sessionProperties(): Properties
  /** Stored values that ride on every event. */
  storedProperties(): Properties
  /** Properties of the flags that are known. */
  flagProperties(): Properties
  isCookieless(): boolean
  /** What is the same for every event of this client. */
  constants(): Properties
  person: PersonState
}

/**
 * What happens to an event between `capture` and the queue, in this order. Properties fill up from the strongest to
 * the weakest: what the SDK alone knows, what the caller said, the session's, the stored ones, the page's.
 */
export const stagesFor = (from: StageInputs) => {
  const pageview = addPageview(from.scroll)
  const stages = {
    name: requireName,
    consent: requireConsent(from.isOptedOut),
    bots: filterBots(from.config, undefined, undefined, from.log.warn),
    rate: limitRate(() => from.config.rate_limiting, from.onRateLimit),
    session: addSession(from.touchSession),
    identity: addIdentity(from.token, from.isIdentified),
    pageview: pageview.stage,
    sessionProperties: addFrom(from.sessionProperties),
    stored: addFrom(from.storedProperties),
    flags: addFrom(from.flagProperties),
    page: addPage(from.config, from.constants),
    cookieless: anonymize(from.isCookieless),
    person: addPerson(from.person),
    denylist: denyProperties(() => [...from.config.property_blacklist, ...from.config.property_denylist]),
    beforeSend: runBeforeSend(from.config, OPTIONS.before_send[0], from.rewrite, from.log),
  }
  return { stages, pageview }
}
