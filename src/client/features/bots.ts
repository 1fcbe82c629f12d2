import { filterBots } from '../../pipeline/stages/filterBots'
import type { Feature } from '../feature'

/** Drops events of bots. */
export const bots: Feature = {
  name: 'bots',
  connect: ({ context: { config, log } }) => ({
    stage: { name: 'bots', before: 'rate', run: filterBots(config, undefined, undefined, log.warn) },
  }),
}
