import { useLoad } from '../../lib/useLoad.ts'
import type { PageProps } from '../../lib/pageProps.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Failed, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AnswersTab } from './answersTab.tsx'
import { ResultsTab } from './resultsTab.tsx'
import { getSurvey, type Survey } from './surveyApi.ts'
import { SurveyActions } from './surveyActions.tsx'
import { SurveyEditor } from './surveyEditor.tsx'

const TABS = [
  { name: 'results', label: 'Results' },
  { name: 'answers', label: 'Who answered what' },
  { name: 'edit', label: 'Questions and conditions' },
] as const

/** Creates a survey (`surveys/new`), or shows one. The tab is in the URL. */
export const SurveyPage = ({ params }: PageProps) => {
  const link = useLink()
  if (params.id !== 'new') return <Existing id={params.id!} />
  return (
    <>
      <PageHead title="New survey" about={<a href={link('surveys')}>All surveys</a>} />
      <SurveyEditor survey={undefined} onSaved={() => {}} />
    </>
  )
}

const Existing = ({ id }: { readonly id: string }) => {
  const { id: projectId } = useProject()
  const link = useLink()
  const { data, error, reload } = useLoad(`survey ${projectId} ${id}`, ({ signal }) => getSurvey(projectId, id, signal))
  if (error?.code === 'not_found')
    return (
      <>
        <PageHead title="Survey" />
        <Empty title="There is no such survey">
          <p>It may have been deleted.</p>
          <a class="button" href={link('surveys')}>
            All surveys
          </a>
        </Empty>
      </>
    )
  return (
    <div class="stack">
      {error && <Failed error={error} onRetry={() => reload()} />}
      {data ? (
        <Found survey={data} onChanged={() => reload()} />
      ) : (
        !error && (
          <>
            <PageHead title="Survey" />
            <Skeleton lines={12} />
          </>
        )
      )}
    </div>
  )
}

const Found = ({ survey, onChanged }: { readonly survey: Survey; readonly onChanged: () => void }) => {
  const link = useLink()
  const first = survey.state === 'draft' ? 'edit' : 'results'
  const tab = TABS.find(({ name }) => name === search.value.get('tab'))?.name ?? first
  return (
    <>
      <PageHead title={survey.name} about={<a href={link('surveys')}>All surveys</a>}>
        <SurveyActions survey={survey} onChanged={onChanged} />
      </PageHead>
      <Tabs
        label="Survey"
        tabs={TABS}
        current={tab}
        onChange={(name) => setSearch({ tab: name === first ? undefined : name, question: undefined })}
      >
        {tab === 'results' && <ResultsTab survey={survey} />}
        {tab === 'answers' && <AnswersTab survey={survey} />}
        {tab === 'edit' && <SurveyEditor key={survey.id} survey={survey} onSaved={onChanged} />}
      </Tabs>
    </>
  )
}
