import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import type { PageProps } from '../../lib/pageProps.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { DeleteDialog } from '../../ui/deleteDialog.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Flag } from './draft.ts'
import { FlagEditor } from './flagEditor.tsx'

/** Creates a flag (`flags/new`) or changes one. */
export const FlagPage = ({ params }: PageProps) => {
  const { id } = useProject()
  const link = useLink()
  const flags = useLoad(`flags ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/feature_flags', { params: inProject(id), signal })),
  )
  const isNew = params.id === 'new'
  return (
    <Load
      of={{ ...flags, isLoading: flags.isLoading && !flags.data }}
      skeleton={
        <>
          <PageHead title="Flag" />
          <Skeleton height={20} />
        </>
      }
    >
      {({ results }) => {
        const flag = results.find((each) => String(each.id) === params.id || each.key === params.id)
        if (!flag && !isNew)
          return (
            <>
              <PageHead title="Flag" />
              <Empty title="There is no such flag">
                <p>It may have been deleted.</p>
                <a class="button" href={link('flags')}>
                  All flags
                </a>
              </Empty>
            </>
          )
        const keys = results.map(({ key }) => key)
        return (
          <>
            <PageHead
              title={flag?.key ?? 'New flag'}
              about={<a href={link('flags')}>All flags</a>}
              children={flag && <Actions flag={flag} onChanged={() => flags.reload()} />}
            />
            <FlagEditor
              flag={flag}
              otherKeys={keys.filter((key) => key !== flag?.key)}
              onSaved={() => flags.reload()}
            />
          </>
        )
      }}
    </Load>
  )
}

/** Actions that apply at once, without saving the form: turning the flag on or off, and deleting it. */
const Actions = ({ flag, onChanged }: { readonly flag: Flag; readonly onChanged: () => void }) => {
  const { id } = useProject()
  const [isDeleting, setDeleting] = useState(false)
  const toggle = useMutation(() =>
    dataOf(
      api.PATCH('/api/projects/{projectId}/feature_flags/{id}', {
        params: inProjectWithId(id, flag.id),
        body: { active: !flag.active },
      }),
    ),
  )
  const act = async () => {
    const changed = await toggle.run()
    if (!changed) return
    toast(changed.active ? 'The flag is active.' : 'The flag is inactive: nobody gets it.')
    onChanged()
  }
  return (
    <>
      {toggle.error && <span class="field-error">{toggle.error.message}</span>}
      <span class={flag.active ? 'badge good' : 'badge'}>{flag.active ? 'Active' : 'Inactive'}</span>
      <button type="button" class="button" disabled={toggle.isRunning} onClick={() => void act()}>
        {flag.active ? 'Deactivate' : 'Activate'}
      </button>
      <button type="button" class="button danger" onClick={() => setDeleting(true)}>
        Delete
      </button>
      {isDeleting && <DeleteFlag flag={flag} onClose={() => setDeleting(false)} />}
    </>
  )
}

const DeleteFlag = ({ flag, onClose }: { readonly flag: Flag; readonly onClose: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  return (
    <DeleteDialog
      name={flag.key}
      action="Delete the flag"
      remove={() =>
        dataOf(api.DELETE('/api/projects/{projectId}/feature_flags/{id}', { params: inProjectWithId(id, flag.id) }))
      }
      onDeleted={() => navigate(link('flags'))}
      onClose={onClose}
    >
      Code that reads the flag gets no value, as if it had never existed. Events about its use are kept.
    </DeleteDialog>
  )
}
