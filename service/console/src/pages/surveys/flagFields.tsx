import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import { RemoveButton } from './eventFields.tsx'
import { SelectInput } from '../../ui/inputs.tsx'
import { EVERYONE, NEW_PROPERTY } from '../../ui/flagConditions/conditionDraft.ts'
import { Conditions } from '../../ui/flagConditions/conditions.tsx'
import type { DraftProps } from './draftProps.ts'
import styles from './surveys.module.css'

/** Who is asked: people who match a condition, have a flag (optionally with one of its variants), and have other flags. */
export const FlagFields = ({ draft, errorOf, onChange }: DraftProps) => {
  const { id } = useProject()
  const { data } = useLoad(`flags ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/feature_flags', { params: inProject(id), signal })),
  )
  const flags = data?.results ?? []
  const optionsWith = (chosen: string | null | undefined, none: string) => {
    const known = flags.map(({ key }) => key)
    const keys = chosen && !known.includes(chosen) ? [chosen, ...known] : known
    return [['', none] as const, ...keys.map((key) => [key, key] as const)]
  }
  const { linked_flag_key: linked, conditions } = draft
  const others = draft.feature_flag_keys ?? []
  const variant = conditions?.linkedFlagVariant
  const variants = flags.find(({ key }) => key === linked)?.filters.multivariate?.variants.map(({ key }) => key) ?? []
  const changeOthers = (feature_flag_keys: typeof others) => onChange({ feature_flag_keys })
  return (
    <>
      <Targeting draft={draft} errorOf={errorOf} onChange={onChange} flagKeys={flags.map(({ key }) => key)} />
      <div class={styles.pair}>
        <SelectInput
          label="Only where this flag is on"
          error={errorOf('linked_flag_key')}
          value={linked ?? ''}
          options={optionsWith(linked, 'No flag')}
          onChange={(key) =>
            onChange({ linked_flag_key: key || null, conditions: { ...conditions, linkedFlagVariant: null } })
          }
        />
        {(variants.length > 0 || variant) && (
          <SelectInput
            label="And has this variant"
            error={errorOf('conditions.linkedFlagVariant')}
            value={variant ?? ''}
            options={[['', 'Any variant'], ...variants.map((key) => [key, key] as const)]}
            onChange={(key) => onChange({ conditions: { ...conditions, linkedFlagVariant: key || null } })}
          />
        )}
      </div>
      {others.map(({ key, value }, index) => (
        <div key={index} class={styles.removable}>
          <SelectInput
            label="And where this flag is on"
            error={errorOf(`feature_flag_keys.${index}.value`)}
            value={value ?? ''}
            options={optionsWith(value, 'Choose a flag')}
            onChange={(chosen) => changeOthers(others.with(index, { key: chosen || key, value: chosen }))}
          />
          <RemoveButton label="Remove the flag" onClick={() => changeOthers(others.toSpliced(index, 1))} />
        </div>
      ))}
      <div class="row">
        <button type="button" class="button" onClick={() => changeOthers([...others, { key: 'flag', value: '' }])}>
          <Icon name="plus" size={16} /> Add another flag
        </button>
      </div>
    </>
  )
}

const Targeting = ({ draft, errorOf, onChange, flagKeys }: DraftProps & { readonly flagKeys: readonly string[] }) => {
  const error = errorOf('targeting_flag_filters') ?? errorOf('targeting_flag_filters.groups')
  return (
    <fieldset class={styles.devices}>
      <legend class="field-label">People</legend>
      <Conditions
        conditions={draft.targeting ?? []}
        variants={[]}
        flagKeys={flagKeys}
        none="Everyone is asked."
        added={{ ...EVERYONE, properties: [NEW_PROPERTY] }}
        errorOf={(path, options) => errorOf(`targeting_flag_filters.groups.${path}`, options)}
        onChange={(targeting) => onChange({ targeting })}
      />
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
