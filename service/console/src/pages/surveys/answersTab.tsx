import { useState } from 'preact/hooks'
import { formatDateTime, languageName } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { usePages } from '../../lib/usePages.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Select } from '../../ui/field.tsx'
import { PagedList } from '../../ui/pagedList.tsx'
import { PropertyValue } from '../../ui/propertyValue.tsx'
import { Empty, Failed } from '../../ui/states.tsx'
import { resultsQuery } from './filters.tsx'
import { listSubmissions, type Submission, type Survey } from './surveyApi.ts'
import styles from './surveys.module.css'
import { Rows } from '../../ui/rows.tsx'
import { pathPart } from '../../lib/pathPart.ts'

/** The submissions of a survey with their people, latest first. With a question in the URL, only its answers are shown. */
export const AnswersTab = ({ survey }: { readonly survey: Survey }) => {
  const { id } = useProject()
  const wanted = search.value.get('question')
  const question = survey.questions.find((each) => each.id === wanted)?.id
  const query = { ...resultsQuery(), ...(question ? { question } : {}) }
  const submissions = usePages<Submission>(
    `submissions ${id} ${survey.id} ${JSON.stringify(query)}`,
    (cursor, signal) => listSubmissions(id, survey.id, { ...query, ...(cursor ? { cursor } : {}) }, signal),
  )
  return (
    <div class="stack">
      <Select
        label="Question"
        value={question ?? ''}
        options={[
          { value: '', label: 'All questions' },
          ...survey.questions.map((each) => ({ value: each.id ?? '', label: each.question })),
        ]}
        onChange={(value) => setSearch({ question: value || undefined })}
      />
      <PagedList pages={submissions} noun={['submission', 'submissions']} empty={<Empty title="No answers" />}>
        {(items) => (
          <ul class={`stack ${styles.submissions}`}>
            <Rows of={items} keyOf={(submission) => submission.submission_id}>
              {(submission) => (
                <li class="card">
                  <SubmissionHead submission={submission} />
                  <Answers survey={survey} submission={submission} only={question} />
                </li>
              )}
            </Rows>
          </ul>
        )}
      </PagedList>
    </div>
  )
}

const SubmissionHead = ({ submission }: { readonly submission: Submission }) => {
  const { timezone } = useProject()
  const link = useLink()
  return (
    <div class="row">
      <a class="clip" href={link(`people/${pathPart(submission.person_id)}`)}>
        <bdi>{submission.distinct_id}</bdi>
      </a>
      <time class="small muted" dateTime={submission.timestamp}>
        {formatDateTime(submission.timestamp, timezone)}
      </time>
      {!submission.is_completed && <span class="badge">Not finished</span>}
      {!submission.is_verified && (
        <span class="badge warning" title="The ID is from the URL of the hosted page, which anyone can change.">
          Not verified
        </span>
      )}
      {submission.iteration !== null && <span class="badge">Time {submission.iteration}</span>}
      {submission.language !== null && <span class="badge">{languageName(submission.language)}</span>}
    </div>
  )
}

const textOf = (answer: unknown): string =>
  typeof answer === 'string' ? answer : Array.isArray(answer) ? answer.map(textOf).join(', ') : JSON.stringify(answer)

/** The answers of a submission. Those that the list has shortened are loaded whole on demand. */
const Answers = ({
  survey,
  submission: inList,
  only,
}: {
  readonly survey: Survey
  readonly submission: Submission
  /** Only the answer to this question. */
  readonly only: string | undefined
}) => {
  const { id: projectId } = useProject()
  const { submission_id: submission, is_truncated: isTruncated } = inList
  const [isWanted, setWanted] = useState(false)
  const whole = useLoad(isWanted ? `submission ${projectId} ${survey.id} ${submission}` : undefined, ({ signal }) =>
    listSubmissions(projectId, survey.id, { submission }, signal),
  )
  const { answers } = whole.data?.results[0] ?? inList
  return (
    <>
      <dl class={styles.answers}>
        {answers
          .filter(({ question_id: id }) => !only || id === only)
          .map(({ question_id: id, answer }) => {
            const question = survey.questions.find((each) => each.id === id)?.question ?? ''
            return (
              <div key={id}>
                <dt class="small muted">{question}</dt>
                <dd>
                  <PropertyValue name={question} value={textOf(answer)} />
                </dd>
              </div>
            )
          })}
      </dl>
      {whole.error && <Failed error={whole.error} onRetry={() => whole.reload()} />}
      {isTruncated && !whole.data && !whole.error && (
        <button type="button" class="text-button" disabled={isWanted} onClick={() => setWanted(true)}>
          {isWanted ? 'Loading …' : 'Load the whole answers'}
        </button>
      )}
    </>
  )
}
