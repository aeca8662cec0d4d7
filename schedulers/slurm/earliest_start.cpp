#include "schedulers/slurm/earliest_start.hpp"

#include <algorithm>

namespace batfill::slurm {

namespace {

// The windows in which groups of running jobs end.
constexpr Seconds first_window = 30;
constexpr Seconds year = Seconds{365} * 24 * 3600;  // none is made longer than that

}  // namespace

EarliestStart::EarliestStart(const Settings& settings, const Cluster& cluster)
    : settings_(settings),
      cluster_(cluster),
      is_26_11_(settings.version == Version::v26_11),
      cons_tres_(settings.version),
      usable_from_(cluster) {}

// Tries the lightest of usable_, in tried_; then with the next heavier ones beside them, and so on.
template <class Choose>
bool EarliestStart::with_lightest(Choose choose) {
    tried_ = usable_;
    if (cluster_.up_to_weights().empty()) {
        return choose();
    }
    return std::any_of(cluster_.up_to_weights().begin(), cluster_.up_to_weights().end(), [&](const NodeSet& nodes) {
        tried_ = usable_;
        tried_ &= nodes;
        return choose();
    });
}

bool EarliestStart::choose_now(const Job& job, const Partition& partition, const NodeSet& candidates, Choice& choice) {
    if (settings_.select == Select::linear) {
        usable_ = candidates;
        usable_ &= cluster_.free().idle();
        return with_lightest([&] { return linear_.choose(job, tried_, cluster_.nodes(), choice); });
    }
    const bool whole = job.whole_nodes || partition.whole_nodes;
    usable_from_.look_at(job.kind, whole);
    usable_ = candidates;
    usable_ &= usable_from_.at(end_key::now);
    if (job.all_memory) {
        usable_.keep_if([&](int node) { return cluster_.free().has_all_memory(node); });
    }
    return with_lightest([&] { return cons_tres_.choose(job, whole, tried_, cluster_.free(), end_key::now, choice); });
}

std::optional<Seconds> EarliestStart::find(const Question& question, Seconds now, Choice& choice) {
    look_at(question.job, question.partition);
    return settings_.select == Select::linear ? find_linear(question, now, choice)
                                              : find_cons_tres(question, now, choice);
}

std::optional<Seconds> EarliestStart::find_linear(const Question& question, Seconds now, Choice& choice) {
    const EndKey enough = usable_from_.enough_from(question.candidates, question.job.nodes);
    if (enough == end_key::never || (question.now_only && enough != end_key::now)) {
        return std::nullopt;
    }
    usable_ = question.candidates;
    usable_ &= usable_from_.at(enough);
    with_lightest([&] { return linear_.choose(question.job, tried_, cluster_.nodes(), choice); });
    return enough == end_key::now ? now : std::max(end_key::second_of(enough), now + 1);
}

std::optional<Seconds> EarliestStart::find_cons_tres(const Question& question, Seconds now, Choice& choice) {
    const EndKey enough = usable_from_.enough_from(question.candidates, question.job.nodes);
    const bool looks_now =
        !is_26_11_ || (question.at <= now && cluster_.has_licenses(question.job, now, question.inside));
    if (looks_now && enough == end_key::now && choose(question, 0, choice)) {
        return now;
    }
    if (question.now_only || enough == end_key::never) {
        return std::nullopt;
    }
    const std::size_t ended = is_26_11_ ? ended_at(question.at) : 0;
    if (is_26_11_ && moment(ended) >= enough && choose(question, ended, choice)) {
        return now;
    }
    return find_in_groups(question, ended, enough, now, choice);
}

std::optional<Seconds> EarliestStart::find_in_groups(const Question& question, std::size_t ended, EndKey enough,
                                                     Seconds now, Choice& choice) {
    constexpr std::size_t most_in_a_group = 200;  // Slurm does not look behind larger groups
    const std::vector<RunningJob>& running = cluster_.running();
    const NodeSet* const idle_now = settings_.bf_busy_nodes ? &cluster_.free().idle() : nullptr;
    const std::size_t last = is_26_11_ && question.later ? ended_at(*question.later) : running.size();
    const std::size_t first = next_in_the_way(question, ended);
    if (first >= last) {
        return std::nullopt;
    }
    const Seconds base = running[first].end + 30 - running[first].end % 30;
    auto [begin, window] = first_group(question, first, enough, base);
    while (begin < last) {
        const std::size_t end = end_of_group(question, begin, last, base + window);
        if (end == begin) {
            return std::nullopt;
        }
        if (!is_26_11_ && question.later && expected_end(running[end - 1], now) > *question.later) {
            return std::nullopt;  // whatever nodes it has
        }
        if (moment(end) >= enough && !are_in_the_way(question, begin, end, most_in_a_group + 1) &&
            choose(question, end, choice, idle_now)) {
            return start_behind(ended, end, now, choice);
        }
        begin = end;
        do {
            window = next_window(window);
        } while (window <= year && begin < running.size() && running[begin].end > base + window);
    }
    return std::nullopt;
}

std::pair<std::size_t, Seconds> EarliestStart::first_group(const Question& question, std::size_t first, EndKey enough,
                                                           Seconds base) const {
    const std::vector<RunningJob>& running = cluster_.running();
    const auto deciding = std::partition_point(running.begin(), running.end(),
                                               [&](const RunningJob& one) { return end_key::of(one) < enough; });
    auto behind = static_cast<std::size_t>(deciding - running.begin());
    if (behind <= first || behind == running.size()) {
        return {first, first_window};
    }
    while (!running[behind - 1].nodes.intersects(question.candidates)) {
        --behind;
    }
    Seconds before = first_window;
    Seconds window = first_window;
    while (window <= year && running[behind].end > base + window) {
        before = window;
        window = next_window(window);
    }
    if (window == first_window || window > year) {
        return {first, first_window};
    }
    return {next_in_the_way(question, std::max(first, ended_at(base + before) - 1)) + 1, window};
}

std::size_t EarliestStart::end_of_group(const Question& question, std::size_t begin, std::size_t last,
                                        Seconds window_end) const {
    // Its last job is in the way, and the next one ends behind the window.
    const std::size_t inside = ended_at(window_end);
    const std::size_t end = next_in_the_way(question, std::max(begin, inside - std::min<std::size_t>(inside, 1))) + 1;
    if (end <= last) {
        return end;
    }
    std::size_t end_of_last = last;
    while (end_of_last > begin && !cluster_.running()[end_of_last - 1].nodes.intersects(question.candidates)) {
        --end_of_last;
    }
    return end_of_last;
}

bool EarliestStart::are_in_the_way(const Question& question, std::size_t begin, std::size_t end,
                                   std::size_t count) const {
    for (; count > 0 && count <= end - begin; ++begin) {
        count -= cluster_.running()[begin].nodes.intersects(question.candidates) ? 1U : 0U;
    }
    return count == 0;
}

Seconds EarliestStart::start_behind(std::size_t begin, std::size_t end, Seconds now, const Choice& choice) const {
    const std::vector<RunningJob>& running = cluster_.running();
    if (!is_26_11_) {
        return expected_end(running[end - 1], now);
    }
    while (end-- > begin) {
        if (running[end].nodes.intersects(choice.nodes)) {
            return expected_end(running[end], now);
        }
    }
    return now;  // bf_busy_nodes has found nodes that are free
}

bool EarliestStart::tests_whole_nodes(const Job& job, const Partition& partition) const {
    return settings_.select == Select::linear || job.whole_nodes || (is_26_11_ && partition.whole_nodes);
}

bool EarliestStart::choose(const Question& question, std::size_t ended, Choice& choice, const NodeSet* idle_now) {
    usable_ = question.candidates;
    usable_ &= usable_from_.at(moment(ended));
    return with_lightest([&] {
        return cons_tres_.choose(question.job, tests_whole_nodes(question.job, question.partition), tried_,
                                 cluster_.free(), moment(ended), choice, idle_now);
    });
}

std::size_t EarliestStart::ended_at(Seconds time) const {
    const std::vector<RunningJob>& running = cluster_.running();
    const auto behind =
        std::partition_point(running.begin(), running.end(), [&](const RunningJob& one) { return one.end <= time; });
    return static_cast<std::size_t>(behind - running.begin());
}

std::size_t EarliestStart::next_in_the_way(const Question& question, std::size_t from) const {
    const std::vector<RunningJob>& running = cluster_.running();
    while (from < running.size() && !running[from].nodes.intersects(question.candidates)) {
        ++from;
    }
    return from;
}

Seconds EarliestStart::expected_end(const RunningJob& running, Seconds now) const {
    return running.end > now ? running.end
                             : std::max(running.end + settings_.kill_wait + settings_.over_time_limit, now + 1);
}

}  // namespace batfill::slurm
