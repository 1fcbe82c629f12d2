import { useState } from 'preact/hooks'
import { formatDate } from '../lib/format.ts'
import { useMutation } from '../lib/useMutation.ts'
import { useProject } from '../project.ts'
import { TextInput } from '../ui/inputs.tsx'
import { Failed } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import { type NewShare, renewLink, revokeShare, setPassword, type Share, takeOver } from './shareApi.ts'

const STATES: Readonly<Record<Share['state'], readonly [label: string, badge: string]>> = {
  active: ['Active', 'badge good'],
  suspended: ['Suspended', 'badge warning'],
  expired: ['Expired', 'badge'],
  revoked: ['Revoked', 'badge bad'],
}

interface ListProps {
  readonly onChanged: () => void
  /** Called with the share that has a new link. */
  readonly onLink: (share: NewShare) => void
}

/** The links to a dashboard or an endpoint, newest first. */
export const ShareList = ({ shares, ...props }: ListProps & { readonly shares: readonly Share[] }) =>
  shares.length === 0 ? (
    <p class="muted">There are no links yet.</p>
  ) : (
    <ul class="stack">
      {shares.map((share) => (
        <li key={share.id}>
          <ShareItem share={share} {...props} />
        </li>
      ))}
    </ul>
  )

const textOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${[value].flat().join(', ')}`)
    .join('; ')

const ShareItem = ({ share, onChanged, onLink }: ListProps & { readonly share: Share }) => {
  const { id, timezone } = useProject()
  const [isPassword, setIsPassword] = useState(false)
  const act = useMutation(async (work: () => Promise<unknown>) => {
    await work()
    onChanged()
    return true
  })
  const link = useMutation(async () => onLink(await renewLink(id, share.id)))
  const [label, badge] = STATES[share.state]
  const isEnded = share.revoked_at !== null
  const name = share.note || share.title || `Link of ${formatDate(share.created_at, timezone)}`
  return (
    <section class="box" aria-label={name}>
      <div class="row between">
        <h3>{name}</h3>
        <span class={badge}>{label}</span>
      </div>
      <p class="small muted">
        {share.version === 'latest' ? 'Latest version' : `Version ${share.version}`}
        {Object.keys(share.variables).length > 0 && ` · pinned: ${textOf(share.variables)}`}
        {Object.keys(share.allowed_values).length > 0 && ` · to choose: ${textOf(share.allowed_values)}`}
        {share.origins.length > 0 && ` · embedded in ${share.origins.join(', ')}`}
        {share.has_password && ' · password'}
        {` · ${share.state === 'expired' ? 'expired' : 'expires'} ${formatDate(share.expires_at, timezone)}`}
        {` · of ${share.owner.label ?? 'a revoked key'}`}
      </p>
      {share.reasons.length > 0 && (
        <ul class="notice warning">
          {share.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {!isEnded && (
        <div class="row">
          <button type="button" class="button" onClick={() => void link.run()} disabled={link.isRunning}>
            New token
          </button>
          <button type="button" class="button" aria-expanded={isPassword} onClick={() => setIsPassword(!isPassword)}>
            Password
          </button>
          {share.owner.label === null && (
            <button type="button" class="button" onClick={() => void act.run(() => takeOver(id, share.id))}>
              Take over
            </button>
          )}
          <button
            type="button"
            class="button danger"
            disabled={act.isRunning}
            onClick={() =>
              void act.run(() => revokeShare(id, share.id)).then((isDone) => isDone && toast(`Revoked ${name}.`))
            }
          >
            Revoke
          </button>
        </div>
      )}
      {isPassword && (
        <PasswordForm
          share={share}
          onDone={() => {
            setIsPassword(false)
            onChanged()
          }}
        />
      )}
      {act.error && <Failed error={act.error} />}
      {link.error && <Failed error={link.error} />}
    </section>
  )
}

const PasswordForm = ({ share, onDone }: { readonly share: Share; readonly onDone: () => void }) => {
  const { id } = useProject()
  const [text, setText] = useState('')
  const { run, isRunning, error } = useMutation(async (password: string | null) => {
    await setPassword(id, share.id, password)
    onDone()
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run(text)
      }}
    >
      <TextInput
        label="New password"
        hint="At least 8 characters. A change closes open pages."
        value={text}
        onChange={setText}
        isRequired
      />
      <div class="row">
        <button type="submit" class="button primary" disabled={isRunning}>
          Set password
        </button>
        {share.has_password && (
          <button type="button" class="button" disabled={isRunning} onClick={() => void run(null)}>
            Remove password
          </button>
        )}
      </div>
      {error && <Failed error={error} />}
    </form>
  )
}
