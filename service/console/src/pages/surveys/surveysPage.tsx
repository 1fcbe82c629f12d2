import { formatDate } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { listSurveys, type Survey, TYPES } from './surveyApi.ts'
import { SurveyStateBadge } from './surveyStateBadge.tsx'

/** The surveys of a project. */
export const SurveysPage = () => {
  const { id } = useProject()
  const link = useLink()
  const surveys = useLoad(`surveys ${id}`, ({ signal }) => listSurveys(id, signal))
  return (
    <>
      <PageHead title="Surveys" about="Ask visitors, on your site or on a page of its own.">
        <a class="button primary" href={link('surveys/new')}>
          <Icon name="plus" size={16} /> New survey
        </a>
      </PageHead>
      <Load of={surveys}>{({ results }) => (results.length ? <SurveyTable surveys={results} /> : <NoSurveys />)}</Load>
    </>
  )
}

const NoSurveys = () => {
  const link = useLink()
  return (
    <Empty title="No surveys yet">
      <p>
        A survey asks the visitors you choose: how likely they are to recommend you, what is missing, why they leave.
      </p>
      <a class="button primary" href={link('surveys/new')}>
        Create the first survey
      </a>
    </Empty>
  )
}

const SurveyTable = ({ surveys }: { readonly surveys: readonly Survey[] }) => {
  const { timezone } = useProject()
  const link = useLink()
  const date = (time: string | null | undefined) => (time ? formatDate(time, timezone) : '–')
  const columns: readonly Column<Survey>[] = [
    { key: 'name', title: 'Survey', cell: ({ id, name }) => <a href={link(`surveys/${id}`)}>{name}</a> },
    { key: 'state', title: 'State', cell: ({ state }) => <SurveyStateBadge state={state} /> },
    { key: 'type', title: 'Shown as', cell: ({ type }) => TYPES[type] },
    { key: 'questions', title: 'Questions', isNumber: true, cell: ({ questions }) => questions.length },
    { key: 'start', title: 'Launched', cell: (survey) => date(survey.start_date) },
    { key: 'end', title: 'Stopped', cell: (survey) => date(survey.end_date) },
  ]
  return <Table caption="Surveys" columns={columns} rows={surveys} rowKey={({ id }) => id} />
}
