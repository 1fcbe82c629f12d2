import { languageName } from '../../lib/format.ts'
import { search, setSearch } from '../../router.ts'
import { Select } from '../../ui/field.tsx'
import type { Results, ResultsQuery } from './surveyApi.ts'

const ALL = ''

/** Returns the filters in the URL. */
export const resultsQuery = (): ResultsQuery => {
  const iteration = search.value.get('iteration')
  const language = search.value.get('language')
  return {
    ...(iteration && /^\d{1,3}$/.test(iteration) ? { iteration: Number(iteration) } : {}),
    ...(language ? { language } : {}),
  }
}

/** Filters by iteration and language, where there are several. */
export const ResultsFilters = ({ results: { iterations, languages } }: { readonly results: Results }) => {
  const query = resultsQuery()
  if (iterations.length < 2 && languages.length < 2 && !Object.keys(query).length) return null
  return (
    <div class="row">
      {(iterations.length > 1 || query.iteration !== undefined) && (
        <Select
          label="Iteration"
          value={String(query.iteration ?? ALL)}
          options={[
            { value: ALL, label: 'All iterations' },
            ...iterations.map(({ iteration }) => ({ value: String(iteration), label: `Iteration ${iteration}` })),
          ]}
          onChange={(iteration) => setSearch({ iteration: iteration || undefined })}
        />
      )}
      {(languages.length > 1 || query.language !== undefined) && (
        <Select
          label="Language"
          value={query.language ?? ALL}
          options={[
            { value: ALL, label: 'All languages' },
            ...languages.map(({ language }) => ({
              value: language || 'default',
              label: language ? languageName(language) : 'Not translated',
            })),
          ]}
          onChange={(language) => setSearch({ language: language || undefined })}
        />
      )}
    </div>
  )
}
