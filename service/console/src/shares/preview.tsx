import { useCallback } from 'preact/hooks'
import { Failure } from '../api/failure.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useProject } from '../project.ts'
import type { ShowTile } from '../shared/reader.ts'
import { SharedBoard } from '../shared/sharedBoard.tsx'
import { Load } from '../ui/states.tsx'
import { type inputOf, previewShare } from './shareApi.ts'

/** What readers of a share would see, or why it cannot be shared. */
export const Preview = ({ input }: { readonly input: ReturnType<typeof inputOf> }) => {
  const { id } = useProject()
  const key = JSON.stringify(input)
  const loaded = useLoad(`share preview ${id} ${key}`, ({ signal }) => previewShare(id, input, undefined, signal))
  const show: ShowTile = useCallback(
    async (asked, signal) => {
      const { tile, reasons } = await previewShare(id, input, asked, signal)
      if (!tile) throw new Failure(reasons.join(' '), 'not_shareable', 400)
      return tile
    },
    [id, key],
  )
  return (
    <section class="box" aria-label="Preview">
      <h3>What readers see</h3>
      <Load of={loaded}>
        {({ share, reasons }) =>
          share ? (
            <SharedBoard share={share} source={{ show, round: 0, onOver: () => {} }} />
          ) : (
            <ul class="notice warning">
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )
        }
      </Load>
    </section>
  )
}
