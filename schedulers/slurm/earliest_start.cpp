#include "schedulers/slurm/earliest_start.hpp"

#include <algorithm>

namespace batfill::slurm {

EarliestStart::EarliestStart(const Settings& settings, const Cluster& cluster)
    : settings_(settings),
      cluster_(cluster),
      is_26_11_(settings.version == Version::v26_11),
      cons_tres_(settings.version),
      imagined_(cluster.nodes()) {}

bool EarliestStart::choose_now(const Job& job, const Partition& partition, const NodeSet& candidates, Choice& choice) {
    return settings_.select == Select::linear
               ? linear_.choose(job, candidates, cluster_.free(), choice)
               : cons_tres_.choose(job, job.whole_nodes || partition.whole_nodes, candidates, cluster_.free(), choice);
}

bool EarliestStart::tests_whole_nodes(const Question& question) const {
    return question.job.whole_nodes || (is_26_11_ && question.partition.whole_nodes);
}

bool EarliestStart::choose(const Question& question, const FreeNodes& free, Choice& choice, const NodeSet* idle_now) {
    return cons_tres_.choose(question.job, tests_whole_nodes(question), question.candidates, free, choice, idle_now);
}

std::optional<Seconds> EarliestStart::find(const Question& question, Seconds now, Choice& choice) {
    return settings_.select == Select::linear ? find_linear(question, now, choice)
                                              : find_in_groups(question, now, choice);
}

std::optional<Seconds> EarliestStart::find_linear(const Question& question, Seconds now, Choice& choice) {
    if (linear_.choose(question.job, question.candidates, cluster_.free(), choice)) {
        return now;
    }
    if (question.now_only) {
        return std::nullopt;
    }
    imagined_ = cluster_.free();
    for (const RunningJob& running : cluster_.running()) {
        imagine_away(running);
        if (linear_.choose(question.job, question.candidates, imagined_, choice)) {
            return std::max(running.end, now + 1);
        }
    }
    return std::nullopt;
}

std::optional<Seconds> EarliestStart::find_in_groups(const Question& question, Seconds now, Choice& choice) {
    const bool looks_now = !is_26_11_ || (question.at <= now && cluster_.has_licenses(question.job));
    if (looks_now && choose(question, cluster_.free(), choice)) {
        return now;
    }
    if (question.now_only) {
        return std::nullopt;
    }
    imagined_ = cluster_.free();
    next_ = cluster_.running().begin();
    if (is_26_11_) {
        for (; next_ != cluster_.running().end() && next_->end <= question.at; ++next_) {
            imagine_away(*next_);
        }
        if (choose(question, imagined_, choice)) {
            return now;
        }
    }

    constexpr int most_in_a_group = 200;  // Slurm does not look behind larger groups
    const NodeSet* const idle_now = settings_.bf_busy_nodes ? &cluster_.free().idle() : nullptr;
    imagined_away_.clear();
    window_ = 30;
    window_begin_.reset();
    for (bool is_last = false; !is_last;) {
        const std::size_t before = imagined_away_.size();
        is_last = imagine_group_away(question);
        const std::size_t group = imagined_away_.size() - before;
        if (group == 0) {
            return std::nullopt;
        }
        if (group <= most_in_a_group && choose(question, imagined_, choice, idle_now)) {
            return start_behind_those(choice, now);
        }
        widen_window();
    }
    return std::nullopt;
}

bool EarliestStart::imagine_group_away(const Question& question) {
    const auto end = cluster_.running().end();
    while (next_ != end && !(is_26_11_ && question.later && next_->end > *question.later)) {
        const RunningJob& running = *next_++;
        if (!running.nodes.intersects(question.candidates)) {
            continue;
        }
        if (!window_begin_) {
            window_begin_ = running.end + 30 - running.end % 30;
        }
        imagine_away(running);
        imagined_away_.push_back(&running);
        if (next_ == end) {
            return true;
        }
        if (next_->end > *window_begin_ + window_) {
            return false;
        }
    }
    return true;
}

void EarliestStart::widen_window() {
    constexpr Seconds year = Seconds{365} * 24 * 3600;
    do {
        window_ += settings_.bf_window_linear > 0 ? settings_.bf_window_linear : window_;
    } while (window_ <= year && next_ != cluster_.running().end() && next_->end > *window_begin_ + window_);
}

Seconds EarliestStart::start_behind_those(const Choice& choice, Seconds now) const {
    const auto last = std::find_if(imagined_away_.rbegin(), imagined_away_.rend(), [&](const RunningJob* running) {
        return !is_26_11_ || running->nodes.intersects(choice.nodes);
    });
    if (last == imagined_away_.rend()) {
        return now;  // bf_busy_nodes has found nodes that are free
    }
    const Seconds end = (*last)->end;
    return end > now ? end : std::max(end + settings_.kill_wait + settings_.over_time_limit, now + 1);
}

}  // namespace batfill::slurm
