export { pageleaves } from '../../client/features/pageleaves/pageleaves'
