import { STRINGS } from '../../../config/options'
import { filterBots } from '../../../pipeline/stages/filterBots'
import type { Feature } from '../../feature'

/** Drops events of bots. */
export const bots = {
  name: 'bots',
  options: { custom_blocked_useragents: [[], STRINGS] },
  connect: ({ context: { config, log } }) => ({
    stage: { name: 'bots', before: 'rate', run: filterBots(config, undefined, undefined, log.warn) },
  }),
} satisfies Feature
