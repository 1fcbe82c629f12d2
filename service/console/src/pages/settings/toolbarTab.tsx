import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { readStored, writeStored } from '../../lib/stored.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed, Load } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './settings.module.css'

const originsOf = async (id: number, signal?: AbortSignal): Promise<readonly string[]> =>
  (await dataOf(api.GET('/api/projects/{projectId}', { params: inProject(id), ...(signal ? { signal } : {}) })))
    .toolbar_origins

/** Changes the authorized origins. Reads them first, so that concurrent changes by others are kept. */
const changeOrigins = async (id: number, change: (origins: readonly string[]) => readonly string[]) =>
  dataOf(
    api.PATCH('/api/projects/{projectId}', {
      params: inProject(id),
      body: { toolbar_origins: [...change(await originsOf(id))] },
    }),
  )

/** The sites on which the toolbar may open, and links that open it. */
export const ToolbarTab = () => {
  const { id } = useProject()
  const origins = useLoad(`toolbar origins ${id}`, ({ signal }) => originsOf(id, signal))
  return (
    <Card title="Sites with the toolbar">
      <div class="stack">
        <p class="muted">
          The toolbar shows heatmaps, feature flags, web vitals and what is captured on the pages of your sites. It
          opens for you alone, in a tab of its own, and reads with the rights of your key: numbers, no people. If the
          site sends events through a proxy on its own host, that proxy sees the toolbar’s cookie.
        </p>
        <Load of={origins}>
          {(data) => (
            <ul class={styles.sites} aria-label="Sites">
              {data.map((origin) => (
                <Site key={origin} origin={origin} onRemoved={() => origins.reload()} />
              ))}
            </ul>
          )}
        </Load>
        <NewSite onAdded={() => origins.reload()} />
      </div>
    </Card>
  )
}

/** A site, with a form that opens the toolbar on one of its pages. The path is stored in this browser. */
const Site = ({ origin, onRemoved }: { readonly origin: string; readonly onRemoved: () => void }) => {
  const { id } = useProject()
  const stored = `toolbar path ${id} ${origin}`
  const [path, setPath] = useState(readStored<string>(stored) ?? '/')
  const opening = useMutation(() =>
    dataOf(api.POST('/api/projects/{projectId}/toolbar/codes', { params: inProject(id), body: { origin, path } })),
  )
  const removing = useMutation(() => changeOrigins(id, (origins) => origins.filter((each) => each !== origin)))
  const open = async (event: Event) => {
    event.preventDefault()
    const code = await opening.run()
    if (code) window.open(code.url, '_blank', 'noopener,noreferrer')
  }
  const remove = async () => {
    if (!(await removing.run())) return
    toast(`The toolbar no longer opens on ${origin}.`)
    onRemoved()
  }
  const error = opening.error ?? removing.error
  return (
    <li>
      <form class={styles.site} onSubmit={(event) => void open(event)}>
        <span class="mono">{origin}</span>
        <input
          class="input mono"
          aria-label={`Page of ${origin}`}
          required
          spellcheck={false}
          autocomplete="off"
          value={path}
          onInput={(event) => {
            setPath(event.currentTarget.value)
            writeStored(stored, event.currentTarget.value)
          }}
        />
        <button type="submit" class="button" aria-label={`Open the toolbar on ${origin}`} disabled={opening.isRunning}>
          <Icon name="external" size={16} /> Open
        </button>
        <button
          type="button"
          class="button plain icon"
          aria-label={`Remove ${origin}`}
          disabled={removing.isRunning}
          onClick={() => void remove()}
        >
          <Icon name="trash" size={16} />
        </button>
      </form>
      {error && <Failed error={error} />}
    </li>
  )
}

const NewSite = ({ onAdded }: { readonly onAdded: () => void }) => {
  const { id } = useProject()
  const [origin, setOrigin] = useState('')
  const { run, isRunning, error } = useMutation(() =>
    changeOrigins(id, (origins) => [...new Set([...origins, origin.trim()])]),
  )
  const add = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    setOrigin('')
    onAdded()
  }
  const fieldError = error?.errors.find(({ path }) => path.startsWith('toolbar_origins'))?.message
  return (
    <form class="stack" onSubmit={(event) => void add(event)}>
      <Field
        label="New site"
        hint="The origin of the site: scheme, host and, unless it is the default, port. Such as https://shop.example or http://localhost:3000."
        error={fieldError}
      >
        {(attributes) => (
          <input
            {...attributes}
            class="input mono"
            required
            spellcheck={false}
            autocomplete="off"
            value={origin}
            onInput={(event) => setOrigin(event.currentTarget.value)}
          />
        )}
      </Field>
      {error && !fieldError && <Failed error={error} />}
      <div class="row">
        <button type="submit" class="button" disabled={isRunning}>
          <Icon name="plus" size={16} /> Add the site
        </button>
      </div>
    </form>
  )
}
