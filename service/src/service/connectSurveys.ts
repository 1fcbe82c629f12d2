import type { FlagDefinitions } from '../flags/definitions.ts'
import type { Dependencies } from '../http/route.ts'
import { createQueryRows } from '../persons/queryRows.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { createListResponses } from '../surveys/responses.ts'
import { createReadResults } from '../surveys/results.ts'
import { createSurveys } from '../surveys/surveys.ts'

const MAX_SECONDS = 20

interface SurveysOptions {
  readonly gate: EngineGate
  readonly metadata: Metadata
  readonly flags: FlagDefinitions
}

/** Connects the definitions and the results of surveys. */
export const connectSurveys = ({
  gate,
  metadata,
  flags,
}: SurveysOptions): Pick<Dependencies, 'surveys' | 'readSurveyResults' | 'listSurveyResponses'> => {
  const queryRows = createQueryRows(gate.runs, MAX_SECONDS)
  return {
    surveys: createSurveys({ metadata, flags }),
    readSurveyResults: createReadResults(queryRows, metadata.projects),
    listSurveyResponses: createListResponses(queryRows),
  }
}
