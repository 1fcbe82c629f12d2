import { useState } from 'preact/hooks'
import { SERVICE_URL } from '../../api/client.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { DeleteDialog } from '../../ui/deleteDialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { changeSurvey, removeSurvey, type Survey, type SurveyState } from './surveyApi.ts'
import { SurveyStateBadge } from './surveyStateBadge.tsx'

interface Action {
  readonly label: string
  /** The dates that change. */
  readonly dates: () => Partial<Pick<Survey, 'start_date' | 'end_date'>>
  readonly done: string
}

const now = () => new Date().toISOString()
const LAUNCH: Action = {
  label: 'Launch',
  dates: () => ({ start_date: now(), end_date: null }),
  done: 'The survey is running. Sites show it within a minute.',
}
const STOP: Action = {
  label: 'Stop',
  dates: () => ({ end_date: now() }),
  done: 'The survey is stopped. Pages that are open may still show it.',
}

/** Available actions by state. */
const ACTIONS: Readonly<Record<SurveyState, Action>> = {
  draft: LAUNCH,
  scheduled: { ...LAUNCH, label: 'Launch now' },
  running: STOP,
  stopped: { label: 'Resume', dates: () => ({ end_date: null }), done: 'The survey is running again.' },
}

/** Launching, stopping and deleting a survey, and the URL of a hosted one. */
export const SurveyActions = ({ survey, onChanged }: { readonly survey: Survey; readonly onChanged: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  const [isDeleting, setDeleting] = useState(false)
  const action = ACTIONS[survey.state]
  const { run, isRunning, error } = useMutation(() => changeSurvey(id, survey.id, action.dates()))
  const act = async () => {
    if (!(await run())) return
    toast(action.done)
    onChanged()
  }
  return (
    <>
      {error && <span class="field-error">{error.message}</span>}
      <SurveyStateBadge state={survey.state} />
      {survey.type === 'external_survey' && (
        <CopyButton text={`${SERVICE_URL}/external_surveys/${survey.id}`} label="Copy the URL" />
      )}
      <button
        type="button"
        class={action === STOP ? 'button' : 'button primary'}
        disabled={isRunning}
        onClick={() => void act()}
      >
        {action.label}
      </button>
      <button type="button" class="button danger" onClick={() => setDeleting(true)}>
        Delete
      </button>
      {isDeleting && (
        <DeleteDialog
          name={survey.name}
          action="Delete the survey"
          remove={() => removeSurvey(id, survey.id)}
          onDeleted={() => navigate(link('surveys'))}
          onClose={() => setDeleting(false)}
        >
          Sites no longer show it, and its results are gone from here. The events with its answers stay.
        </DeleteDialog>
      )}
    </>
  )
}
