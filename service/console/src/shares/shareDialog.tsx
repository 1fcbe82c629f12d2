import { useState } from 'preact/hooks'
import { useLoad } from '../lib/useLoad.ts'
import { useProject } from '../project.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/states.tsx'
import { NewLink } from './newLink.tsx'
import { NewShareForm } from './newShareForm.tsx'
import { listShares, type NewShare, type Shared } from './shareApi.ts'
import { ShareList } from './shareList.tsx'

/** A button that opens the links to a dashboard or an endpoint. */
export const ShareButton = ({ shared }: { readonly shared: Shared }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        Share
      </button>
      {isOpen && <ShareDialog shared={shared} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Lists the links to a dashboard or an endpoint, and creates one. */
const ShareDialog = ({ shared, onClose }: { readonly shared: Shared; readonly onClose: () => void }) => {
  const { id } = useProject()
  const [isNew, setNew] = useState(false)
  const [created, setCreated] = useState<NewShare>()
  const key = 'dashboard' in shared ? shared.dashboard : shared.endpoint
  const shares = useLoad(`shares ${id} ${key}`, ({ signal }) => listShares(id, shared, signal))
  const show = (share: NewShare) => {
    setCreated(share)
    setNew(false)
    shares.reload()
  }
  return (
    <Dialog title={`Share ${shared.name}`} isWide onClose={onClose}>
      <div class="stack">
        {created && <NewLink share={created} />}
        {isNew ? (
          <NewShareForm shared={shared} onCreated={show} onCancel={() => setNew(false)} />
        ) : (
          <>
            <p class="muted">
              Anyone with a link sees what you share, without a key, until it expires or you revoke it.
            </p>
            <div class="row">
              <button type="button" class="button primary" onClick={() => setNew(true)}>
                New link
              </button>
            </div>
            <Load of={shares}>
              {(list) => <ShareList shares={list} onChanged={() => shares.reload()} onLink={show} />}
            </Load>
          </>
        )}
      </div>
    </Dialog>
  )
}
