import { readDevice, readPage } from '../../browser/page'
import type { Config, Properties } from '../../types'
import { type Stage, withDefaults } from '../stage'

/** Adds properties of the page and the browser (docs/reference/protocol.md#5.3). The browser is read once, the page for each event. */
export const addPage = (config: Config, constants: () => Properties): Stage => {
  let device: Properties | undefined
  return (event) => {
    withDefaults(event, {
      // The protocol's second deduplication key: the random end of the uuid, which compresses to nothing beside it.
      $insert_id: event.uuid.slice(19),
      $time: event.timestamp.getTime() / 1000,
    })
    withDefaults(event, constants())
    withDefaults(event, readPage(config))
    return withDefaults(event, (device ??= readDevice()))
  }
}
