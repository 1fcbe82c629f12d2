import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId } from '../../api/inProject.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import type { PageProps } from '../../lib/pageProps.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { ShareButton } from '../../shares/shareDialog.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { Board } from './board.tsx'
import type { Dashboard, Tile, TileChoice } from '../../api/dashboards.ts'
import { newTile } from '../../lib/newTile.ts'
import { type DashboardDraft, toDraft } from './dashboard.ts'
import { DashboardMenu } from './dashboardMenu.tsx'
import { settle } from './layout.ts'
import { SaveBar } from './saveBar.tsx'
import { DashboardPeriod, SharedBar } from './sharedBar.tsx'
import { chosenPeriod, chosenVariables, sharedOf, variablesOfTiles } from './sharedValues.ts'
import { TileDialog } from './tileDialog.tsx'
import { useEndpoints } from './useEndpoints.ts'

/** A dashboard. Dates, filters and values of variables are in the URL. */
export const DashboardPage = ({ params }: PageProps) => {
  const { id } = useProject()
  const link = useLink()
  // Loads the list, because the first list request of a project creates its first dashboard.
  const dashboards = useLoad(`dashboards ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/dashboards', { params: inProject(id), signal })),
  )
  return (
    <Load
      of={{ ...dashboards, isLoading: dashboards.isLoading && !dashboards.data }}
      skeleton={
        <>
          <PageHead title="Dashboard" />
          <Skeleton height={20} />
        </>
      }
    >
      {({ results }) => {
        const found = results.find((each) => each.id === params.id)
        if (found) return <Loaded key={found.id} dashboard={found} onChanged={() => dashboards.reload()} />
        return (
          !dashboards.isLoading && (
            <>
              <PageHead title="Dashboard" />
              <Empty title="There is no such dashboard">
                <p>It may have been deleted.</p>
                <a class="button" href={link('dashboards')}>
                  All dashboards
                </a>
              </Empty>
            </>
          )
        )
      }}
    </Load>
  )
}

const withChoice = (tiles: readonly Tile[], edited: Tile, choice: TileChoice): readonly Tile[] => {
  const { id, x, y, w, h, variables } = edited
  const changed = { id, x, y, w, h, ...(variables ? { variables } : {}), ...choice }
  return tiles.map((tile) => (tile.id === id ? changed : tile))
}

const Loaded = ({ dashboard, onChanged }: { readonly dashboard: Dashboard; readonly onChanged: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  const endpoints = useEndpoints()
  const draft = useDraft<DashboardDraft>(`dashboard ${id} ${dashboard.id}`, toDraft(dashboard), dashboard.version)
  const [dialog, setDialog] = useState<{ readonly tile?: Tile }>()
  const [added, setAdded] = useState<string>()
  const isEditing = search.value.has('edit')
  const { tiles } = draft.value
  const shared = sharedOf(search.value, draft.value)
  const change = (changes: Partial<DashboardDraft>) => draft.change({ ...draft.value, ...changes })
  const save = useMutation((version: number) =>
    dataOf(
      api.PATCH('/api/projects/{projectId}/dashboards/{id}', {
        params: inProjectWithId(id, dashboard.id),
        body: { ...draft.value, tiles: [...tiles], version },
      }),
    ),
  )
  const submit = async (version: number) => {
    const saved = await save.run(version)
    if (saved) {
      draft.discard()
      toast('The dashboard is saved.')
    }
    // Also after a conflict, to load the version that the other person saved.
    onChanged()
  }
  const names = variablesOfTiles(tiles, endpoints.data)
  const keepShared = () => {
    change({ variables: { ...shared.variables, ...shared.dateRange } })
    setSearch({ period: undefined, from: undefined, to: undefined })
  }
  const isOverridden = Boolean(chosenPeriod(search.value)) || Object.keys(chosenVariables(search.value)).length > 0
  return (
    <>
      <PageHead
        title={draft.value.name}
        about={draft.value.description || <a href={link('dashboards')}>All dashboards</a>}
      >
        <DashboardPeriod shared={shared} />
        <button type="button" class="button" onClick={() => setDialog({})}>
          <Icon name="plus" size={16} /> Add a tile
        </button>
        <button
          type="button"
          class="button"
          aria-pressed={isEditing}
          onClick={() => setSearch({ edit: isEditing ? undefined : '1' })}
        >
          Edit the layout
        </button>
        <ShareButton
          shared={{
            dashboard: dashboard.id,
            name: dashboard.name,
            version: dashboard.version,
            tiles: dashboard.tiles.map(({ id, title, endpoint = '' }) => ({ id, title: title || endpoint })),
          }}
        />
        <DashboardMenu dashboard={dashboard} draft={draft.value} onChange={change} />
      </PageHead>
      <SharedBar shared={shared} names={names} isSavable={isOverridden} onSave={keepShared} />
      {tiles.length === 0 ? (
        <Empty title="An empty dashboard">
          <p>Add a saved insight or another endpoint. In Insights, “Add to dashboard” adds what you see there.</p>
          <button type="button" class="button primary" onClick={() => setDialog({})}>
            Add the first tile
          </button>
        </Empty>
      ) : (
        <Board
          tiles={tiles}
          endpoints={endpoints.data}
          shared={shared}
          isEditing={isEditing}
          added={added}
          onChange={(changed) => change({ tiles: [...changed] })}
          onEdit={(tile) => setDialog({ tile })}
        />
      )}
      {draft.isChanged && (
        <SaveBar
          dashboard={dashboard}
          isConflict={draft.basedOn !== dashboard.version}
          error={save.error?.code === 'version_conflict' ? undefined : save.error}
          isSaving={save.isRunning}
          onSave={() => void submit(draft.basedOn ?? dashboard.version)}
          onReplace={() => void submit(dashboard.version)}
          onDiscard={draft.discard}
        />
      )}
      {dialog && (
        <TileDialog
          tile={dialog.tile}
          endpoints={endpoints.data ?? new Map()}
          onSave={(choice) => {
            const fresh = newTile(tiles, choice)
            change({
              tiles: dialog.tile ? [...withChoice(tiles, dialog.tile, choice)] : [...settle([...tiles, fresh])],
            })
            setDialog(undefined)
            setAdded(dialog.tile ? undefined : fresh.id)
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}
