#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/wait_reason.hpp>

#include "src/support/mapped.hpp"

namespace batfill {

// "host n2", or "hosts n2 to n3, n8"; of many, "hosts n2 to n3, n8, n10 and 40 more".
std::string named_hosts(const ResourceSet& hosts, std::span<const std::string> names);

// "3 processors"
std::string processors_text(Amount processors);
// "it needs 8 processors; 0 to 7 are idle"
std::string idle_text(int needed, int least, int most);

// The first of many.
template <class One>
Some<One> some_of(const std::vector<One>& all) {
    Some<One> some;
    std::ranges::for_each(all, [&](const One& one) { some.add(one); });
    return some;
}
// Their texts; then the number of others, if there are any, between two texts.
template <class One>
std::vector<std::string> texts_of(const Some<One>& some, const auto& text_of, const std::string& behind_others,
                                  const char* before_others = "") {
    std::vector<std::string> texts = mapped(some.first, text_of);
    if (some.others > 0) {
        texts.push_back(before_others + std::to_string(some.others) + behind_others);
    }
    return texts;
}

// The English of reasons: the only place that makes it.
class ReasonWords {
 public:
    // Hosts are named by numbers if `host_names` is empty.
    explicit ReasonWords(std::vector<std::string> host_names = {}, InstantText instant = batfill::instant_text)
        : host_names_(std::move(host_names)), instant_(std::move(instant)) {}

    const std::vector<std::string>& host_names() const { return host_names_; }
    // All words give instants as this does: it hides the function of this name.
    std::string instant_text(Time time) const { return instant_(time); }

    // The rule of an algorithm, without its numbers: "behind the head". Of own words, what is before a comma or colon.
    static std::string rule(const Reason& reason);
    // What an algorithm says: the rule, and behind a colon its numbers.
    std::string because(const Reason& reason) const;
    // Why a job is rejected, or what the algorithm says.
    std::string because(const WaitReason& reason) const {
        return reason.rejection.empty() ? because(reason.because) : "it " + reason.rejection;
    }
    // What the job takes of pools and of named hosts, what of it is free, and who holds the rest, as a clause: "it
    // takes ...". Of a job that is not eligible yet, the conditions that do not hold. Empty if it takes only
    // processors, and hosts have no names, and no window is in its way.
    std::string lack(const WaitReason& reason) const;
    // The windows in its way: "window service takes hosts 0-3 from 100 until 200".
    std::string windows(const WaitReason& reason) const;

 private:
    // " on hosts 0-3 7", " on hosts n1 to n4", or " on 40 hosts" if they are scattered. Empty without hosts.
    std::string place(const ResourceSet& hosts) const;
    std::string reservation(const Reason& reason) const;
    std::string top(const Reason& reason) const;
    std::string planned_start(const Reason& reason) const;
    std::string shortage(const Shortage& shortage) const;
    std::string pool(const WaitReason::Pool& pool) const;
    std::string limit(const WaitReason::Limit& limit) const;
    std::string hosts(const WaitReason& reason) const;
    // ", as job a holds 4 until 100 and 2 more hold 2", or empty.
    std::string holders(const Shares& shares) const;

    std::vector<std::string> host_names_;
    InstantText instant_;
};

}  // namespace batfill
